import { listText } from "../gamma/format.ts"
import { hash } from "../random.ts"
import type { Token } from "../world/Venue.ts"
import { serializeBook } from "./bookText.ts"
import { bestOf, type ClobView } from "./ClobView.ts"
import { decimal, priceText } from "./decimal.ts"
import { baseFeeOf } from "./marketJson.ts"
import {
  badRequest,
  jsonRoutes,
  orNotFound,
  parseTokenQueries,
  type RouteRequest,
  type Routes,
  type TokenQuery,
} from "./requests.ts"
import { priceFor, type SideName, sideFor } from "./trades.ts"

const noBook = "No orderbook exists for the requested token id"
const sideNames: ReadonlyArray<SideName> = ["BUY", "SELL"]

const parseSide = (text: string | undefined): SideName => {
  const side = sideNames.find((name) => name === text?.toUpperCase())
  if (side === undefined) throw badRequest("Invalid side")
  return side
}

/** An empty side counts as 0 for bids and 1 for asks. */
const boundsOf = (view: ClobView, token: Token) => {
  const { bid = 0, ask = 1000 } = bestOf(view.book(token))
  return { bid, ask }
}

const priceOf = (view: ClobView, token: Token, side: SideName): string => {
  const { bid, ask } = boundsOf(view, token)
  return priceText(side === "BUY" ? bid : ask)
}

const midpointOf = (view: ClobView, token: Token): string => {
  const { bid, ask } = boundsOf(view, token)
  return decimal((bid + ask) * 500)
}

const spreadOf = (view: ClobView, token: Token): string => {
  const { bid, ask } = boundsOf(view, token)
  return priceText(ask - bid)
}

const lastTradeJson = (view: ClobView, token: Token) => {
  const trade = view.lastTrade(token.market)
  return trade === undefined
    ? { price: "0.5", side: "" }
    : { price: priceText(priceFor(token, trade)), side: sideFor(token, trade) }
}

const bookText = (view: ClobView, token: Token): string => `{${serializeBook(view, token, view.book(token)).fields}}`

const tokenIdIn = ({ query }: RouteRequest): string => {
  const id = query.text("token_id")
  if (id === undefined || !/^\d{1,78}$/.test(id)) throw badRequest("Invalid token id")
  return id
}

/** Routes for one token and for batches, which omit tokens without a book. */
export const quoteRoutes = (view: ClobView): Routes => {
  const knownToken = (request: RouteRequest): Token => orNotFound(view.token(tokenIdIn(request)), noBook)
  const ifOpen = (token: Token | undefined) =>
    token !== undefined && !view.isResolved(token.market) ? token : undefined
  const openToken = (request: RouteRequest): Token => orNotFound(ifOpen(view.token(tokenIdIn(request))), noBook)
  const forEachToken = <A>(body: string, of: (token: Token, query: TokenQuery) => A): ReadonlyArray<A> =>
    parseTokenQueries(body).flatMap((query) => {
      const token = ifOpen(view.token(query.id))
      return token === undefined ? [] : [of(token, query)]
    })
  const byId = (body: string, of: (token: Token) => string) =>
    Object.fromEntries(forEachToken(body, (token) => [token.id, of(token)]))

  const prices = (body: string) => {
    const out: Record<string, Partial<Record<SideName, string>>> = {}
    const sidesIn = ({ side }: TokenQuery) => (side === undefined ? sideNames : [parseSide(side)])
    forEachToken(body, (token, query) => {
      for (const side of sidesIn(query)) out[token.id] = { ...out[token.id], [side]: priceOf(view, token, side) }
    })
    return out
  }

  const lastTrades = (body: string) =>
    parseTokenQueries(body).flatMap(({ id }) => {
      const token = view.token(id)
      return token === undefined ? [] : [{ token_id: token.id, ...lastTradeJson(view, token) }]
    })

  return {
    "GET /book": (request) => bookText(view, openToken(request)),
    // In another order than requested.
    "POST /books": ({ body }) => {
      const books = forEachToken(body, (token) => ({ order: hash(token.index, 33), text: bookText(view, token) }))
      return listText(books.toSorted((a, b) => a.order - b.order).map(({ text }) => text))
    },
    ...jsonRoutes({
      "GET /price": (request) => {
        const side = parseSide(request.query.text("side"))
        return { price: priceOf(view, openToken(request), side) }
      },
      "POST /prices": ({ body }) => prices(body),
      "GET /midpoint": (request) => ({ mid: midpointOf(view, openToken(request)) }),
      "POST /midpoints": ({ body }) => byId(body, (token) => midpointOf(view, token)),
      "GET /spread": (request) => ({ spread: spreadOf(view, openToken(request)) }),
      "POST /spreads": ({ body }) => byId(body, (token) => spreadOf(view, token)),
      "GET /last-trade-price": (request) => lastTradeJson(view, knownToken(request)),
      "POST /last-trades-prices": ({ body }) => lastTrades(body),
      "GET /tick-size": (request) => ({ minimum_tick_size: view.tick(knownToken(request).market) / 1000 }),
      "GET /neg-risk": (request) => ({ neg_risk: knownToken(request).market.event.plan.negRisk }),
      "GET /fee-rate": (request) => ({ base_fee: baseFeeOf(knownToken(request).market) }),
    }),
  }
}
