import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { secondFrom, secondOf } from "#src/dictionary/factSql.ts"
import { codeOf, type FactColumns, type FactKind, mostOfOne } from "./copyPnl.ts"
import { AmountTooLarge } from "./model.ts"

/** After `after` and before `before`, both in milliseconds. */
export interface TimeRange {
  readonly after: number
  readonly before: number
}

/** A page ends with a whole second: it may have more facts than requested, never part of a second's facts. */
export type Pages = (range: TimeRange) => Effect.Effect<FactColumns, SqlError | AmountTooLarge>

interface Columns {
  readonly at: Uint8Array
  readonly kind: Uint8Array
  readonly shares: Uint8Array
  readonly usd: Uint8Array
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => new DataView(buffer, byteOffset, byteLength)

const high = 2 ** 32

const amountsIn = (bytes: Uint8Array): Float64Array => {
  const view = viewOf(bytes)
  const amounts = new Float64Array(bytes.byteLength / 8)
  for (let i = 0; i < amounts.length; i++) amounts[i] = view.getInt32(8 * i) * high + view.getUint32(8 * i + 4)
  return amounts
}

const timesIn = (bytes: Uint8Array): Float64Array => {
  const view = viewOf(bytes)
  const times = new Float64Array(bytes.byteLength / 4)
  for (let i = 0; i < times.length; i++) times[i] = 1000 * view.getInt32(4 * i)
  return times
}

const factsIn = ({ at, kind, shares, usd }: Columns): FactColumns => {
  const codes = viewOf(kind)
  return {
    count: kind.byteLength / 2,
    at: timesIn(at),
    kind: Uint8Array.from({ length: kind.byteLength / 2 }, (_, i) => codes.getInt16(2 * i)),
    shares: amountsIn(shares),
    usd: amountsIn(usd),
  }
}

const none: FactColumns = factsIn({
  at: new Uint8Array(),
  kind: new Uint8Array(),
  shares: new Uint8Array(),
  usd: new Uint8Array(),
})

const isExact = ({ shares, usd }: FactColumns) =>
  shares.every((n) => n <= mostOfOne) && usd.every((n) => n <= mostOfOne)

const newest = "order by at desc fetch first ($4::int8) rows with ties"

/** For other facts than fills only money counts. */
const other = (kind: FactKind, amount: string) => `
  (select extract(epoch from at)::int4 as at, ${codeOf(kind)}::int2 as kind, 0::int8 as shares, ${amount} as usd from (
    select * from ${kind} where wallet = $1::int4 and at > to_timestamp($2::int4) and at < to_timestamp($3::int4)
    ${newest}) f)`

const parts = [
  `(select at, case when is_sale then ${codeOf("sell")} else ${codeOf("buy")} end::int2 as kind, shares, usd from fill
    where maker = $1::int4 and at > $2::int4 and at < $3::int4 ${newest})`,
  other("split", "amount"),
  other("merge", "amount"),
  other("redemption", "payout"),
  other("conversion", "paid"),
]

const pageText = `
  select string_agg(int4send(at), '') as at, string_agg(int2send(kind), '') as kind,
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
      sql.unsafe<Columns | Record<keyof Columns, null>>(pageText, [wallet, secondOf(after), secondFrom(before), size]),
      ([row]): Effect.Effect<FactColumns, AmountTooLarge> => {
        if (row === undefined || row.at === null) return Effect.succeed(none)
        const facts = factsIn(row)
        return isExact(facts) ? Effect.succeed(facts) : Effect.fail(new AmountTooLarge())
      },
    )
