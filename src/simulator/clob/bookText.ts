import { createHash } from "node:crypto"
import { fieldsText, listText } from "../gamma/text.ts"
import type { Book, Level } from "../world/orderBook.ts"
import type { Market, Token } from "../world/Venue.ts"
import type { ClobView } from "./ClobView.ts"
import { decimal, priceText } from "./decimal.ts"

export const smallestOrder = 5

/** The best level is the last one. */
const sideText = (levels: ReadonlyArray<Level>): string =>
  listText(levels.map(({ price, shares }) => `{"price":"${priceText(price)}","size":"${decimal(shares)}"}`).reverse())

export const tickText = (view: ClobView, market: Market): string => priceText(view.tick(market))

export interface WrittenBook {
  /** The fields of the book, without braces. */
  readonly fields: string
  readonly hash: string
}

/** A book as the venue writes it, with the hash that its own client computes of it: of everything, the hash left empty. */
export const writeBook = (view: ClobView, token: Token, book: Book): WrittenBook => {
  const { market } = token
  const last = view.lastPrice(token)
  const before = fieldsText({
    market: market.conditionId,
    asset_id: token.id,
    timestamp: String(view.bookChangedAt(market)),
  })
  const settings = fieldsText({
    min_order_size: String(smallestOrder),
    tick_size: tickText(view, market),
    neg_risk: market.event.plan.negRisk,
    last_trade_price: last === undefined ? "" : priceText(last),
  })
  const after = `"bids":${sideText(book.bids)},"asks":${sideText(book.asks)},${settings}`
  const hash = createHash("sha1").update(`{${before},"hash":"",${after}}`).digest("hex")
  return { fields: `${before},"hash":"${hash}",${after}`, hash }
}
