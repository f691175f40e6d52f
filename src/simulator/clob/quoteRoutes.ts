import { listText } from "../gamma/text.ts"
import type { Token } from "../world/Venue.ts"
import { type Ask, plain, type Routes, type TokenAsk, tokensIn } from "./Ask.ts"
import { writeBook } from "./bookText.ts"
import { bestOf, type ClobView } from "./ClobView.ts"
import { decimal, priceText } from "./decimal.ts"
import { priceFor, type SideName, sideFor } from "./lastTrade.ts"
import { baseFeeOf } from "./marketJson.ts"
import { bad, found } from "./refusal.ts"

const noBook = "No orderbook exists for the requested token id"
const sideNames: ReadonlyArray<SideName> = ["BUY", "SELL"]

const sideNamed = (text: string | undefined): SideName => {
  const side = sideNames.find((name) => name === text?.toUpperCase())
  if (side === undefined) throw bad("Invalid side")
  return side
}

/** Where nobody waits, an outcome could be had for anything between nothing and one. */
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

const bookText = (view: ClobView, token: Token): string => `{${writeBook(view, token, view.book(token)).fields}}`

const idIn = ({ query }: Ask): string => {
  const id = query.text("token_id")
  if (id === undefined || !/^\d{1,78}$/.test(id)) throw bad("Invalid token id")
  return id
}

/** Routes for one token and for many; in a batch, tokens without a book are left out. */
export const quoteRoutes = (view: ClobView): Routes => {
  const known = (ask: Ask): Token => found(view.token(idIn(ask)), noBook)
  const traded = (token: Token | undefined) =>
    token !== undefined && !view.isResolved(token.market) ? token : undefined
  const open = (ask: Ask): Token => found(traded(view.token(idIn(ask))), noBook)
  const each = <A>(body: string, of: (token: Token, ask: TokenAsk) => A): ReadonlyArray<A> =>
    tokensIn(body).flatMap((ask) => {
      const token = traded(view.token(ask.id))
      return token === undefined ? [] : [of(token, ask)]
    })
  const byId = (body: string, of: (token: Token) => string) =>
    Object.fromEntries(each(body, (token) => [token.id, of(token)]))

  const prices = (body: string) => {
    const out: Record<string, Partial<Record<SideName, string>>> = {}
    const sidesIn = ({ side }: TokenAsk) => (side === undefined ? sideNames : [sideNamed(side)])
    each(body, (token, ask) => {
      for (const side of sidesIn(ask)) out[token.id] = { ...out[token.id], [side]: priceOf(view, token, side) }
    })
    return out
  }

  const lastTrades = (body: string) =>
    tokensIn(body).flatMap(({ id }) => {
      const token = view.token(id)
      return token === undefined ? [] : [{ token_id: token.id, ...lastTradeJson(view, token) }]
    })

  return {
    "GET /book": (ask) => bookText(view, open(ask)),
    "POST /books": ({ body }) => listText(each(body, (token) => bookText(view, token))),
    ...plain({
      "GET /price": (ask) => {
        const side = sideNamed(ask.query.text("side"))
        return { price: priceOf(view, open(ask), side) }
      },
      "POST /prices": ({ body }) => prices(body),
      "GET /midpoint": (ask) => ({ mid: midpointOf(view, open(ask)) }),
      "POST /midpoints": ({ body }) => byId(body, (token) => midpointOf(view, token)),
      "GET /spread": (ask) => ({ spread: spreadOf(view, open(ask)) }),
      "POST /spreads": ({ body }) => byId(body, (token) => spreadOf(view, token)),
      "GET /last-trade-price": (ask) => lastTradeJson(view, known(ask)),
      "POST /last-trades-prices": ({ body }) => lastTrades(body),
      "GET /tick-size": (ask) => ({ minimum_tick_size: view.tick(known(ask).market) / 1000 }),
      "GET /neg-risk": (ask) => ({ neg_risk: known(ask).market.event.plan.negRisk }),
      "GET /fee-rate": (ask) => ({ base_fee: baseFeeOf(known(ask).market) }),
    }),
  }
}
