import type { Query } from "../gamma/Query.ts"
import { ints } from "../world/columns.ts"
import { rewardsOf } from "../world/rewards.ts"
import type { Market } from "../world/Venue.ts"
import type { ClobView } from "./ClobView.ts"
import { bad } from "./refusal.ts"

export const endCursor = "LTE="
export const cursorOf = (place: number): string => Buffer.from(String(place)).toString("base64")

/** The place to go on from; -1 after the end. */
export const placeOf = (cursor: string | undefined): number => {
  if (cursor === undefined) return 0
  if (cursor === endCursor) return -1
  const text = Buffer.from(cursor, "base64").toString("latin1")
  if (!/^\d{1,9}$/.test(text)) throw bad("Invalid next_cursor")
  return Number(text)
}

export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly next_cursor: string
  readonly limit: number
  readonly count: number
}

export const mostPerPage = 500

/** Markets in the order of their creation, some of them chosen when they are first seen. */
export class MarketPages {
  readonly #view: ClobView
  readonly #isListed: (market: Market) => boolean
  readonly #listed = ints()
  #seen = 0

  constructor(view: ClobView, isListed: (market: Market) => boolean) {
    this.#view = view
    this.#isListed = isListed
  }

  /** A cursor is the number of a market, so that nothing is skipped when others close between two pages. */
  page<A>(query: Query, isShown: (market: Market) => boolean, show: (market: Market) => A): Page<A> {
    this.#catchUp()
    const from = placeOf(query.text("next_cursor"))
    const data: Array<A> = []
    let place = from === -1 ? this.#listed.length : this.#listed.lowerBound(from)
    for (; place < this.#listed.length && data.length < mostPerPage; place++) {
      const market = this.#view.markets[this.#listed.get(place)] as Market
      if (isShown(market)) data.push(show(market))
    }
    const next = place < this.#listed.length ? cursorOf(this.#listed.get(place)) : endCursor
    return { data, next_cursor: next, limit: mostPerPage, count: data.length }
  }

  #catchUp(): void {
    for (; this.#seen < this.#view.markets.length; this.#seen++) {
      if (this.#isListed(this.#view.markets[this.#seen] as Market)) this.#listed.push(this.#seen)
    }
  }
}

const hasBook = ({ legs }: Market) => legs === undefined

export const allMarkets = (view: ClobView) => new MarketPages(view, hasBook)

/** Those whose makers are rewarded. */
export const rewardedMarkets = (view: ClobView) =>
  new MarketPages(view, (market) => hasBook(market) && rewardsOf(market).daily > 0)

export const onePage = <A>(data: ReadonlyArray<A>): Page<A> => ({
  data,
  next_cursor: endCursor,
  limit: mostPerPage,
  count: data.length,
})
