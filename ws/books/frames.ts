import type { ChangedLevel } from "#src/books/CheckedBook.ts"
import type { BookTrade } from "#src/books/model.ts"
import type { BookSide } from "#src/books/OrderBook.ts"
import { showDecimal } from "#src/upstream/clob/decimal.ts"
import type { Level } from "#src/upstream/clob/model.ts"
import { Frame } from "../Frame.ts"

/** What a token is called; null where the catalogue does not know it. */
export interface BookNames {
  readonly token: string
  readonly condition: string | null
  readonly slug: string | null
  readonly eventSlug: string | null
  readonly question: string | null
  readonly eventTitle: string | null
  readonly outcome: string | null
}

/** Which book it is after a change, so that a client can tell whether it has the same. */
export interface BookPlace {
  readonly epoch: string
  readonly seq: number
  readonly checksum: string
}

export interface Best {
  readonly bid: number | undefined
  readonly ask: number | undefined
}

const shown = (amount: number | undefined) => (amount === undefined ? null : showDecimal(amount))
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
  place: BookPlace,
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
    ...place,
  })

export interface Batch {
  readonly subscriptionId?: string
  readonly totalSent: number
  /** Something may have been missed before it. */
  readonly gap: boolean
}

/** Of snapshots that are text already. */
export const snapshotBatch = (snapshots: ReadonlyArray<string>, { subscriptionId, totalSent, gap }: Batch): Frame => {
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
  { epoch, seq, checksum }: BookPlace,
  previous: number,
  changes: ReadonlyArray<ChangedLevel>,
  gap: boolean,
) => {
  const of = (wanted: BookSide) =>
    changes.flatMap(([side, price, size]) => (side === wanted ? [levelOf({ price, size })] : []))
  return {
    type: "book_update",
    ...namesOf(names),
    bids: of("bid"),
    asks: of("ask"),
    epoch,
    prev_seq: previous,
    seq,
    checksum,
    ...(gap ? { gap: true } : {}),
  }
}

/** The best prices are others than before; told by the side on which they are. */
export const priceChange = (
  { token, condition, slug, outcome }: BookNames,
  before: Best,
  now: Best,
  sizeAt: (side: BookSide, price: number) => number,
) => {
  const assets = (["bid", "ask"] as const).flatMap((side) => {
    const price = now[side]
    if (before[side] === price) return []
    return [
      {
        asset_id: token,
        outcome,
        price: shown(price),
        size: shown(price === undefined ? undefined : sizeAt(side, price)),
        side: sideOf[side],
        best_bid: shown(now.bid),
        best_ask: shown(now.ask),
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

/** What a client has of the book is no longer sure to be right; the next update or snapshot is. */
export const bookStale = (names: BookNames, { epoch, seq }: BookPlace) => ({
  type: "book_stale",
  ...namesOf(names),
  epoch,
  seq,
})

export const updateBatch = (updates: ReadonlyArray<object>, now: number): Frame =>
  new Frame(JSON.stringify({ type: "batch", ts: now, count: updates.length, updates }))
