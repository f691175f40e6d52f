import type { Query } from "../gamma/Query.ts"
import type { Token } from "../world/Venue.ts"
import { plain, type Routes, recordIn } from "./Ask.ts"
import type { ClobView } from "./ClobView.ts"
import { type HistoryAsk, historyOf } from "./history.ts"
import { bad } from "./refusal.ts"

const mostMarkets = 20

const askIn = (query: Query): HistoryAsk => ({
  interval: query.text("interval"),
  start: query.number("startTs"),
  end: query.number("endTs"),
  fidelity: query.number("fidelity"),
})

const askOf = (body: Readonly<Record<string, unknown>>): HistoryAsk => {
  const given = (name: string) => body[name] ?? undefined
  const number = (name: string) => {
    const value = given(name)
    if (value !== undefined && typeof value !== "number") throw bad(`invalid filters: '${name}' must be a number`)
    return value
  }
  const interval = given("interval")
  if (interval !== undefined && typeof interval !== "string") throw bad("invalid filters: 'interval' must be a string")
  return { interval, start: number("start_ts"), end: number("end_ts"), fidelity: number("fidelity") }
}

const marketsIn = ({ markets }: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  if (!Array.isArray(markets) || markets.length === 0)
    throw bad("invalid filters: 'markets' must be a list of token ids")
  if (markets.length > mostMarkets) throw bad(`invalid filters: at most ${mostMarkets} 'markets'`)
  return markets.map((id: unknown) => {
    if (typeof id !== "string") throw bad("invalid filters: 'markets' must be a list of token ids")
    return id
  })
}

export const historyRoutes = (view: ClobView): Routes => {
  /** Of a token that nobody knows there is nothing to tell, as the venue sees it. */
  const history = (token: Token | undefined, ask: HistoryAsk) =>
    token === undefined ? [] : historyOf(view, token, ask)
  return plain({
    "GET /prices-history": ({ query }) => {
      const id = query.text("market")
      if (id === undefined || !/^\d{1,78}$/.test(id)) throw bad("invalid filters: 'market' must be a token id")
      return { history: history(view.token(id), askIn(query)) }
    },
    "POST /batch-prices-history": ({ body }) => {
      const fields = recordIn(body)
      const ask = askOf(fields)
      return { history: Object.fromEntries(marketsIn(fields).map((id) => [id, history(view.token(id), ask)])) }
    },
  })
}
