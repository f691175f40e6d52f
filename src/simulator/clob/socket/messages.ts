import { fieldsText, iso, listText } from "../../gamma/format.ts"
import { hexOf, seedOf } from "../../random.ts"
import type { FeeSchedule, Micro, Millis } from "../../world/model.ts"
import type { Book, Level } from "../../world/orderBook.ts"
import type { Market, Token } from "../../world/Venue.ts"
import { serializeBook } from "../bookText.ts"
import { type Best, bestOf, type ClobView, mirroredBest } from "../ClobView.ts"
import { decimal, priceText } from "../decimal.ts"
import { baseFeeOf } from "../marketJson.ts"
import { oppositeSide, type SideName, type Trade } from "../trades.ts"

/** An empty string for a missing price. */
const numberText = (price: number | undefined): string => (price === undefined ? "" : priceText(price))

export const bookMessage = (view: ClobView, token: Token, book: Book): string =>
  `{"event_type":"book",${serializeBook(view, token, book).socketFields}}`

/** The new size of a price level; 0 removes it. */
interface LevelChange {
  readonly side: SideName
  /** In 1/1000. */
  readonly price: number
  readonly shares: Micro
}

const changedLevels = (
  side: SideName,
  before: ReadonlyArray<Level>,
  after: ReadonlyArray<Level>,
): ReadonlyArray<LevelChange> => {
  const remaining = new Map(before.map(({ price, shares }) => [price, shares]))
  const changes: Array<LevelChange> = []
  for (const { price, shares } of after) {
    if (remaining.get(price) !== shares) changes.push({ side, price, shares })
    remaining.delete(price)
  }
  for (const price of remaining.keys()) changes.push({ side, price, shares: 0 })
  return changes
}

/** The changes that turn one book into another. */
export const changesOf = (before: Book, after: Book): ReadonlyArray<LevelChange> => [
  ...changedLevels("BUY", before.bids, after.bids),
  ...changedLevels("SELL", before.asks, after.asks),
]

const orderHashes = seedOf(0, "order hashes")

/** The fields that all changes of one token share, before and after the varying ones. */
const changeFrame = (token: Token, { bid, ask }: Best, at: Millis): readonly [before: string, after: string] => [
  `{"asset_id":"${token.id}",`,
  // The hash of the order that caused the change.
  `${fieldsText({ hash: hexOf(20, orderHashes, token.index, at), best_bid: numberText(bid), best_ask: numberText(ask) })}}`,
]

/** Changes of the first outcome, reported for both. Built by string concatenation: there are thousands a second. */
export const priceChangeMessage = (
  view: ClobView,
  market: Market,
  book: Book,
  changes: ReadonlyArray<LevelChange>,
): string => {
  const [first, second] = view.tokensOf(market)
  const at = view.bookChangedAt(market)
  const best = bestOf(book)
  const [before1, after1] = changeFrame(first, best, at)
  const [before2, after2] = changeFrame(second, mirroredBest(best), at)
  const texts = changes.map(({ side, price, shares }) => {
    const size = `"size":"${decimal(shares)}"`
    const own = `${before1}"price":"${priceText(price)}",${size},"side":"${side}",${after1}`
    return `${own},${before2}"price":"${priceText(1000 - price)}",${size},"side":"${oppositeSide(side)}",${after2}`
  })
  return `{"event_type":"price_change","market":"${market.conditionId}","price_changes":${listText(texts)},"timestamp":"${at}"}`
}

export const lastTradeMessage = (view: ClobView, token: Token, trade: Trade): string =>
  JSON.stringify({
    event_type: "last_trade_price",
    market: token.market.conditionId,
    asset_id: token.id,
    price: priceText(trade.price),
    size: decimal(trade.shares),
    side: trade.side,
    fee_rate_bps: String(baseFeeOf(token.market)),
    timestamp: String(trade.at),
    transaction_hash: view.sim.chain.transactionHash(trade.tx),
  })

export const tickSizeMessage = (view: ClobView, token: Token, before: number, after: number): string =>
  JSON.stringify({
    event_type: "tick_size_change",
    market: token.market.conditionId,
    asset_id: token.id,
    old_tick_size: priceText(before),
    new_tick_size: priceText(after),
    timestamp: String(view.bookChangedAt(token.market)),
  })

export const bestMessage = (view: ClobView, token: Token, { bid, ask }: Best): string =>
  JSON.stringify({
    event_type: "best_bid_ask",
    market: token.market.conditionId,
    asset_id: token.id,
    best_bid: numberText(bid),
    best_ask: numberText(ask),
    spread: numberText(bid === undefined || ask === undefined ? undefined : ask - bid),
    timestamp: String(view.bookChangedAt(token.market)),
  })

const marketReferenceJson = (view: ClobView, market: Market, at: Millis) => {
  const { slug, title, description, tags } = market.event.plan
  return {
    id: market.id,
    market: market.conditionId,
    assets_ids: view.tokensOf(market).map(({ id }) => id),
    event_message: { id: market.event.id, ticker: slug, slug, title, description },
    timestamp: String(at),
    tags: tags.map(({ slug }) => slug),
  }
}

const scheduleJson = ({ rate, exponent, rebateRate }: FeeSchedule) => ({
  exponent: String(exponent),
  rate: String(rate),
  taker_only: true,
  rebate_rate: String(rebateRate),
})

export const newMarketMessage = (view: ClobView, market: Market, at: Millis): string => {
  const { plan, event } = market
  const { game, description } = event.plan
  const reference = marketReferenceJson(view, market, at)
  return JSON.stringify({
    event_type: "new_market",
    ...reference,
    question: plan.question,
    slug: plan.slug,
    description,
    outcomes: plan.outcomes,
    condition_id: market.conditionId,
    active: true,
    clob_token_ids: reference.assets_ids,
    sports_market_type: plan.sportsMarketType ?? "",
    line: plan.line === undefined ? "" : String(plan.line),
    game_start_time: game === undefined ? "" : iso(game.startsAt),
    order_price_min_tick_size: priceText(view.tick(market)),
    group_item_title: plan.groupItemTitle,
    taker_base_fee: String(baseFeeOf(market)),
    fees_enabled: plan.fees !== undefined,
    fee_schedule: plan.fees === undefined ? null : scheduleJson(plan.fees),
  })
}

/** An even split has no winner. */
export const resolvedMessage = (view: ClobView, market: Market, at: Millis): string => {
  const [first, second] = market.payouts ?? [0, 0]
  const winner = first === second ? undefined : view.tokensOf(market)[first > second ? 0 : 1]
  return JSON.stringify({
    event_type: "market_resolved",
    ...marketReferenceJson(view, market, at),
    winning_asset_id: winner?.id ?? "",
    winning_outcome: winner === undefined ? "" : market.plan.outcomes[winner.outcome],
  })
}
