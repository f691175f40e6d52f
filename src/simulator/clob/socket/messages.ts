import { fieldsText, listText } from "../../gamma/text.ts"
import { hexOf, seedOf } from "../../random.ts"
import type { Millis } from "../../world/model.ts"
import type { Book } from "../../world/orderBook.ts"
import type { Market, Token } from "../../world/Venue.ts"
import { writeBook } from "../bookText.ts"
import { type Best, bestOf, type ClobView, mirroredBest } from "../ClobView.ts"
import { decimal, priceText } from "../decimal.ts"
import { otherSide, type Trade } from "../lastTrade.ts"
import { baseFeeOf } from "../marketJson.ts"
import type { LevelChange } from "./bookChanges.ts"

/** Numbers are strings, and empty where there is none. */
const numberText = (price: number | undefined): string => (price === undefined ? "" : priceText(price))

export const bookMessage = (view: ClobView, token: Token, book: Book): string =>
  `{"event_type":"book",${writeBook(view, token, book).fields}}`

const orders = seedOf(0, "order hashes")

/** What all changes of one token have in common, before and after what they have not. */
const changeFrame = (token: Token, { bid, ask }: Best, at: Millis): readonly [before: string, after: string] => [
  `{"asset_id":"${token.id}",`,
  // Of the order that made the change.
  `${fieldsText({ hash: hexOf(20, orders, token.index, at), best_bid: numberText(bid), best_ask: numberText(ask) })}}`,
]

/** Changes of the first outcome, told for both. Put together by hand, for there are thousands a second. */
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
    return `${own},${before2}"price":"${priceText(1000 - price)}",${size},"side":"${otherSide(side)}",${after2}`
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
    transaction_hash: view.sim.chain.transactionHash(trade.act),
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
