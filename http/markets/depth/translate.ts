import type { DatedBook } from "#src/books/Books.ts"
import { midOf } from "#src/books/model.ts"
import {
  averagePrice,
  rounded,
  type Slippage,
  slippageFrom,
  takenLevels,
  type WalkedBook,
  walkDollars,
} from "#src/books/walkBook.ts"
import { exactAmount, exactPrice } from "#src/domain/amounts.ts"
import type { Level, TradeSide } from "#src/upstream/clob/model.ts"
import type { SizeQuote } from "./shapes.ts"

type Sides = Pick<DatedBook["depth"], "bids" | "asks">

const orNull = (micro: number | null | undefined) => (micro === null || micro === undefined ? null : exactAmount(micro))
/** From 10⁻¹² dollars. */
const dollarsOf = (cost: bigint) => rounded(cost, 1_000_000n)

const sideOf = (levels: ReadonlyArray<Level>) => {
  const cost = levels.reduce((sum, { price, size }) => sum + BigInt(price) * BigInt(size), 0n)
  return {
    best: orNull(levels[0]?.price),
    levels: levels.length,
    usd: exactAmount(dollarsOf(cost)),
    shares: exactAmount(levels.reduce((sum, { size }) => sum + BigInt(size), 0n)),
  }
}

const slippageOf = (name: "best" | "mid", slippage: Slippage | undefined) => ({
  [`slippage_${name}`]: slippage === undefined ? null : exactPrice(slippage.price),
  [`slippage_${name}_pct`]: slippage === undefined ? null : exactAmount(slippage.percent),
})

const shownQuote = (sides: Sides, side: TradeSide, size: bigint): typeof SizeQuote.Type => {
  const levels = takenLevels(sides, side)
  const walked: WalkedBook = walkDollars(levels, size)
  const filled = walked.isComplete ? size : dollarsOf(walked.cost)
  const average = averagePrice(walked)
  const best = levels[0]?.price
  const [bid, ask] = [sides.bids[0]?.price, sides.asks[0]?.price]
  const fair = bid === undefined || ask === undefined ? undefined : bid + ask
  return {
    side,
    size_usd: exactAmount(size),
    complete: walked.isComplete,
    filled_usd: exactAmount(filled),
    unfilled_usd: exactAmount(size - filled),
    shares: exactAmount(walked.shares),
    average_price: average === undefined ? null : exactPrice(average),
    best_price: orNull(best),
    worst_price: orNull(walked.worst),
    levels_used: walked.levels,
    ...slippageOf("best", slippageFrom(walked, side, best === undefined ? undefined : 2 * best)),
    ...slippageOf("mid", slippageFrom(walked, side, fair)),
  } as typeof SizeQuote.Type
}

const shownLevels = (levels: ReadonlyArray<Level>, most: number) =>
  levels.slice(0, most).map(({ price, size }) => ({ price: exactAmount(price), size: exactAmount(size) }))

interface DepthOptions {
  readonly levels: number
  readonly size: bigint | undefined
  readonly sides: ReadonlyArray<TradeSide>
  readonly now: number
}

/** Undefined if the venue has no book. */
export const shownBook = (book: DatedBook | undefined, { levels, size, sides, now }: DepthOptions) => {
  const { bids = [], asks = [], tickSize } = book?.depth ?? {}
  const [bid, ask] = [bids[0]?.price ?? null, asks[0]?.price ?? null]
  return {
    source: book?.source ?? null,
    checked_at: book === undefined ? null : new Date(book.checkedAt).toISOString(),
    age_ms: book === undefined ? null : Math.max(0, Math.round(now - book.checkedAt)),
    updated_at: book === undefined ? null : new Date(book.depth.updatedAt).toISOString(),
    tick_size: orNull(tickSize),
    mid: orNull(midOf(bid, ask)),
    spread: bid === null || ask === null ? null : exactAmount(ask - bid),
    bid: sideOf(bids),
    ask: sideOf(asks),
    bids: shownLevels(bids, levels),
    asks: shownLevels(asks, levels),
    quotes: book === undefined || size === undefined ? [] : sides.map((side) => shownQuote({ bids, asks }, side, size)),
  }
}
