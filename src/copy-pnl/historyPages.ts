import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { codeOf, type FactKind, type Facts, mostOfOne } from "./copyPnl.ts"
import { AmountTooLarge } from "./model.ts"

/** After `after` and before `before`, both in milliseconds. */
export interface TimeRange {
  readonly after: number
  readonly before: number
}

/** A page ends with a whole millisecond: it may have more facts than requested, never part of a millisecond's facts. */
export type Pages = (range: TimeRange) => Effect.Effect<Facts, SqlError | AmountTooLarge>

interface Columns {
  readonly at: Uint8Array
  readonly kind: Uint8Array
  readonly shares: Uint8Array
  readonly usd: Uint8Array
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => new DataView(buffer, byteOffset, byteLength)

const high = 2 ** 32
/** Postgres counts microseconds from the year 2000. */
const epoch = Date.UTC(2000, 0)

const numbersIn = (bytes: Uint8Array, read: (value: number) => number): Float64Array => {
  const view = viewOf(bytes)
  const numbers = new Float64Array(bytes.byteLength / 8)
  for (let i = 0; i < numbers.length; i++) numbers[i] = read(view.getInt32(8 * i) * high + view.getUint32(8 * i + 4))
  return numbers
}

const factsIn = ({ at, kind, shares, usd }: Columns): Facts => {
  const amounts = [shares, usd].map((column) => numbersIn(column, (amount) => amount)) as [Float64Array, Float64Array]
  const codes = viewOf(kind)
  return {
    count: kind.byteLength / 2,
    at: numbersIn(at, (micros) => micros / 1000 + epoch),
    kind: Uint8Array.from({ length: kind.byteLength / 2 }, (_, i) => codes.getInt16(2 * i)),
    shares: amounts[0],
    usd: amounts[1],
  }
}

const none: Facts = factsIn({
  at: new Uint8Array(),
  kind: new Uint8Array(),
  shares: new Uint8Array(),
  usd: new Uint8Array(),
})

const isExact = ({ shares, usd }: Facts) => shares.every((n) => n <= mostOfOne) && usd.every((n) => n <= mostOfOne)

const part = (from: string, columns: string) => `
  (select at, ${columns} from ${from} = $1::int4 and at > $2::timestamptz and at < $3::timestamptz
   order by at desc fetch first ($4::int8) rows with ties)`

/** For other facts than fills only money counts. */
const other = (kind: FactKind, amount: string) =>
  part(`${kind} where wallet`, `${codeOf(kind)}::int2 as kind, 0::int8 as shares, ${amount} as usd`)

const parts = [
  part("fill where maker", "side as kind, shares, usd"),
  other("split", "amount"),
  other("merge", "amount"),
  other("redemption", "payout"),
  other("conversion", "paid"),
]

const pageText = `
  select string_agg(timestamptz_send(at), '') as at, string_agg(int2send(kind), '') as kind,
    string_agg(int8send(shares), '') as shares, string_agg(int8send(usd), '') as usd
  from (
    select * from (${parts.join(" union all ")}) facts order by at desc fetch first ($4::int8) rows with ties) page`

/**
 * A wallet's history, newest first. Each column is one packed value: creating an object per row would take longer than
 * everything else together.
 */
export const historyPages =
  (sql: SqlClient, wallet: number, size: number): Pages =>
  ({ after, before }) =>
    Effect.flatMap(
      sql.unsafe<Columns | Record<keyof Columns, null>>(pageText, [wallet, new Date(after), new Date(before), size]),
      ([row]): Effect.Effect<Facts, AmountTooLarge> => {
        if (row === undefined || row.at === null) return Effect.succeed(none)
        const facts = factsIn(row)
        return isExact(facts) ? Effect.succeed(facts) : Effect.fail(new AmountTooLarge())
      },
    )
