import { Clock, Effect, Option } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { recordPartitions } from "#src/books/BookRecords.ts"
import { unpackLevels } from "#src/books/levelBytes.ts"
import { rounded, takenLevels, walkShares } from "#src/books/walkBook.ts"
import { secondFrom, secondOf } from "#src/dictionary/factSql.ts"
import { type Shares, shares as toShares, type Usdc, usdc } from "#src/domain/amounts.ts"
import { copiedCost, copiedProceeds } from "../copyPnl.ts"

/** A trade is on the chain some seconds after it was matched; older books are of other trades. */
const recordedWithinMillis = 30_000

interface RecordedFill {
  readonly is_sale: boolean
  readonly shares: Shares<bigint>
  readonly usd: Usdc<bigint>
  readonly levels: Uint8Array
}

type Row = { readonly count: number; readonly oldest: number | null } & (
  | RecordedFill
  | Record<keyof RecordedFill, null>
)

/**
 * A page of a wallet's fills, newest first, of which those with a recorded book are returned. It ends with a whole second.
 * A book counts until the end of the second of the block, because the copier trades after the fill.
 */
const readPage = (sql: SqlClient, wallet: number, after: number, before: number, size: number) =>
  sql<Row>`
    with page as materialized (
      select at, token, is_sale, shares, usd from fill
      where maker = ${wallet} and at > ${secondOf(after)} and at < ${secondFrom(before)}
      order by at desc fetch first ${sql.literal(String(size))} rows with ties)
    select head.count, head.oldest, f.is_sale, f.shares, f.usd, f.levels
    from (select count(*)::int as count, min(at) as oldest from page) head
    left join (
      select page.*, r.levels from page cross join lateral (
        select levels from book_record b
        where b.token = page.token and b.at >= page.at * 1000::int8 - ${recordedWithinMillis}::int8
          and b.at < (page.at + 1) * 1000::int8
        order by b.at desc limit 1) r
      where page.shares > 0) f on true`

/** How much better or worse than at the flat 2 % a copier fares with one fill; undefined if the book has too few shares. */
const changeOf = ({ is_sale, shares, usd, levels }: RecordedFill): Usdc<bigint> | undefined => {
  const side = is_sale ? "sell" : "buy"
  const walked = walkShares(takenLevels(unpackLevels(levels), side), shares)
  if (!walked.isComplete) return undefined
  const atBook = rounded(walked.cost, 1_000_000n)
  const traded = usdc(Number(usd))
  return usdc(
    is_sale ? atBook - BigInt(copiedProceeds(traded)) : BigInt(copiedCost(traded, toShares(Number(shares)))) - atBook,
  )
}

interface Window {
  readonly after: number
  readonly until: number
  /** Fills per page. */
  readonly size: number
  /** When to stop, in milliseconds. */
  readonly ends: number
}

/** Compares all fills of a window that have a recorded book. What the time does not suffice for stays at the flat 2 %. */
export const copyAtDepth = Effect.fnUntraced(function* (
  sql: SqlClient,
  wallet: number,
  { after, until, size, ends }: Window,
) {
  const copied = { change: 0n, fromBook: 0, tooThin: 0, isComplete: true }
  const oldest = yield* recordPartitions.oldest(sql)
  if (oldest === undefined) return copied
  const from = Math.max(after, oldest - 1000)
  for (let before = until + 1; before > from; ) {
    const left = ends - (yield* Clock.currentTimeMillis)
    const page =
      left <= 0 ? Option.none() : yield* Effect.timeoutOption(readPage(sql, wallet, from, before, size), left)
    if (Option.isNone(page)) return { ...copied, isComplete: false }
    for (const fill of page.value) {
      if (fill.levels === null) continue
      const change = changeOf(fill)
      if (change === undefined) copied.tooThin++
      else {
        copied.change += change
        copied.fromBook++
      }
    }
    const [head] = page.value
    if (head === undefined || head.oldest === null || head.count < size) return copied
    before = head.oldest * 1000
  }
  return copied
})
