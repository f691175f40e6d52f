import type { Query } from "../gamma/Query.ts"
import { ints } from "../world/columns.ts"
import { rewardsOf } from "../world/MakerPayouts.ts"
import type { Market } from "../world/Venue.ts"
import type { ClobView } from "./ClobView.ts"
import { badRequest } from "./requests.ts"

export const endCursor = "LTE="
export const encodeCursor = (position: number): string => Buffer.from(String(position)).toString("base64")

/** The position to continue from; -1 after the end. */
export const decodeCursor = (cursor: string | undefined): number => {
  if (cursor === undefined) return 0
  if (cursor === endCursor) return -1
  const text = Buffer.from(cursor, "base64").toString("latin1")
  if (!/^\d{1,9}$/.test(text)) throw badRequest("Invalid next_cursor")
  return Number(text)
}

export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly next_cursor: string
  readonly limit: number
  readonly count: number
}

export const pageSize = 500

/** Markets in order of creation, filtered once when first indexed. */
class MarketPages {
  readonly #view: ClobView
  readonly #isListed: (market: Market) => boolean
  readonly #listed = ints()
  #indexed = 0

  constructor(view: ClobView, isListed: (market: Market) => boolean) {
    this.#view = view
    this.#isListed = isListed
  }

  /** A cursor is a market index, so markets that close between two pages do not shift the rest. */
  page<A>(query: Query, isShown: (market: Market) => boolean, show: (market: Market) => A): Page<A> {
    this.#catchUp()
    const from = decodeCursor(query.text("next_cursor"))
    const data: Array<A> = []
    let next = from === -1 ? this.#listed.length : this.#listed.lowerBound(from)
    for (; next < this.#listed.length && data.length < pageSize; next++) {
      const market = this.#view.markets[this.#listed.get(next)] as Market
      if (isShown(market)) data.push(show(market))
    }
    const next_cursor = next < this.#listed.length ? encodeCursor(this.#listed.get(next)) : endCursor
    return { data, next_cursor, limit: pageSize, count: data.length }
  }

  #catchUp(): void {
    for (; this.#indexed < this.#view.markets.length; this.#indexed++) {
      if (this.#isListed(this.#view.markets[this.#indexed] as Market)) this.#listed.push(this.#indexed)
    }
  }
}

const hasBook = ({ legs }: Market) => legs === undefined

export const allMarkets = (view: ClobView) => new MarketPages(view, hasBook)

/** Markets that pay maker rewards. */
export const rewardedMarkets = (view: ClobView) =>
  new MarketPages(view, (market) => hasBook(market) && rewardsOf(market).daily > 0)

export const singlePage = <A>(data: ReadonlyArray<A>): Page<A> => ({
  data,
  next_cursor: endCursor,
  limit: pageSize,
  count: data.length,
})
