import type { ChangedLevel } from "#src/books/CheckedBook.ts"
import type { BookTrade } from "#src/books/model.ts"
import type { BookSide } from "#src/books/OrderBook.ts"
import { showDecimal } from "#src/upstream/clob/decimal.ts"
import type { Level } from "#src/upstream/clob/model.ts"
import { Frame } from "../channel/Frame.ts"

/** Names of a token's market; null if the catalogue does not know it. */
export interface BookNames {
  readonly token: string
  readonly condition: string | null
  readonly slug: string | null
  readonly eventSlug: string | null
  readonly question: string | null
  readonly eventTitle: string | null
  readonly outcome: string | null
}

/** Identifies a state of a book, so that a client can verify its copy. */
export interface BookVersion {
  readonly epoch: string
  readonly seq: number
  readonly checksum: string
}

export interface BestPrices {
  readonly bid: number | undefined
  readonly ask: number | undefined
}

const decimalOrNull = (amount: number | undefined) => (amount === undefined ? null : showDecimal(amount))
const levelOf = ({ price, size }: Level) => ({ price: showDecimal(price), size: showDecimal(size) })
const sideOf = { bid: "BUY", ask: "SELL", buy: "BUY", sell: "SELL" } as const

const namesOf = ({ token, condition, outcome, slug }: BookNames) => ({
  asset_id: token,
  market: condition,
  outcome,
  slug,
})

/** One book of a `snapshot_batch`, as text. */
export const snapshotText = (
  names: BookNames,
  version: BookVersion,
  bids: ReadonlyArray<Level>,
  asks: ReadonlyArray<Level>,
): string =>
  JSON.stringify({
    type: "book_snapshot",
    ...namesOf(names),
    condition_id: names.condition,
    event_title: names.eventTitle,
    question: names.question,
    bids: bids.map(levelOf),
    asks: asks.map(levelOf),
    ...version,
  })

interface SnapshotBatch {
  readonly subscriptionId?: string
  readonly totalSent: number
  /** Earlier updates may have been missed. */
  readonly gap: boolean
}

/** `snapshots` are already encoded. */
export const snapshotBatch = (
  snapshots: ReadonlyArray<string>,
  { subscriptionId, totalSent, gap }: SnapshotBatch,
): Frame => {
  const head = JSON.stringify({
    type: "snapshot_batch",
    ...(subscriptionId === undefined ? {} : { subscription_id: subscriptionId }),
    count: snapshots.length,
    total_sent: totalSent,
    ...(gap ? { gap: true } : {}),
  })
  return new Frame(`${head.slice(0, -1)},"snapshots":[${snapshots.join(",")}]}`)
}

export const bookUpdate = (
  names: BookNames,
  { epoch, seq, checksum }: BookVersion,
  previous: number,
  changes: ReadonlyArray<ChangedLevel>,
  gap: boolean,
) => {
  const levelsOf = (requested: BookSide) =>
    changes.flatMap(([side, price, size]) => (side === requested ? [levelOf({ price, size })] : []))
  return {
    type: "book_update",
    ...namesOf(names),
    bids: levelsOf("bid"),
    asks: levelsOf("ask"),
    epoch,
    prev_seq: previous,
    seq,
    checksum,
    ...(gap ? { gap: true } : {}),
  }
}

/** Changes of the best prices, one entry per changed side. */
export const priceChange = (
  { token, condition, slug, outcome }: BookNames,
  before: BestPrices,
  now: BestPrices,
  sizeAt: (side: BookSide, price: number) => number,
) => {
  const assets = (["bid", "ask"] as const).flatMap((side) => {
    const price = now[side]
    if (before[side] === price) return []
    return [
      {
        asset_id: token,
        outcome,
        price: decimalOrNull(price),
        size: decimalOrNull(price === undefined ? undefined : sizeAt(side, price)),
        side: sideOf[side],
        best_bid: decimalOrNull(now.bid),
        best_ask: decimalOrNull(now.ask),
      },
    ]
  })
  return { type: "price_change", market: condition, slug, assets }
}

export const lastTradePrice = (names: BookNames, { price, size, side, at, feeRate, transaction }: BookTrade) => ({
  type: "last_trade_price",
  ...namesOf(names),
  price: showDecimal(price),
  size: showDecimal(size),
  side: sideOf[side],
  fee_rate_bps: feeRate,
  timestamp: String(at),
  transaction_hash: transaction,
})

/** The client's copy may be outdated until the next update or snapshot. */
export const bookStale = (names: BookNames, { epoch, seq }: BookVersion) => ({
  type: "book_stale",
  ...namesOf(names),
  epoch,
  seq,
})

export const updateBatch = (updates: ReadonlyArray<object>, now: number): Frame =>
  new Frame(JSON.stringify({ type: "batch", ts: now, count: updates.length, updates }))
