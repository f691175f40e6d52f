import { createHash } from "node:crypto"
import { fieldsText, listText } from "../gamma/format.ts"
import { hash } from "../random.ts"
import type { Book, Level } from "../world/orderBook.ts"
import type { Market, Token } from "../world/Venue.ts"
import type { ClobView } from "./ClobView.ts"
import { decimal, priceText } from "./decimal.ts"

export const minOrderSize = 5

/** The best level comes last. */
const levelsText = (levels: ReadonlyArray<Level>): string =>
  listText(levels.map(({ price, shares }) => `{"price":"${priceText(price)}","size":"${decimal(shares)}"}`).reverse())

const tickText = (view: ClobView, market: Market): string => priceText(view.tick(market))

interface SerializedBook {
  /** The JSON fields of the book, without braces. */
  readonly fields: string
  /** Those of the socket, which lacks some settings and, for some tokens, the hash. */
  readonly socketFields: string
  readonly hash: string
}

/** One token in ten. */
const hasSocketHash = ({ index }: Token) => hash(index, 34) % 10 !== 0

/** A book in the venue's format. As in its client, the hash covers all fields, with `hash` itself empty. */
export const serializeBook = (view: ClobView, token: Token, book: Book): SerializedBook => {
  const { market } = token
  const last = view.lastPrice(token)
  const head = fieldsText({
    market: market.conditionId,
    asset_id: token.id,
    timestamp: String(view.bookChangedAt(market)),
  })
  const [tick_size, last_trade_price] = [tickText(view, market), last === undefined ? "" : priceText(last)]
  const settings = fieldsText({
    min_order_size: String(minOrderSize),
    tick_size,
    neg_risk: market.event.plan.negRisk,
    last_trade_price,
  })
  const levels = `"bids":${levelsText(book.bids)},"asks":${levelsText(book.asks)}`
  const digest = createHash("sha1").update(`{${head},"hash":"",${levels},${settings}}`).digest("hex")
  const hashed = hasSocketHash(token) ? `${head},"hash":"${digest}"` : head
  return {
    fields: `${head},"hash":"${digest}",${levels},${settings}`,
    socketFields: `${hashed},${levels},${fieldsText({ tick_size, last_trade_price })}`,
    hash: digest,
  }
}
