import { twapOf } from "../../oracle/derivedPrices.ts"
import type { Simulation } from "../../Simulation.ts"
import { type Coin, coins } from "../../world/oracle.ts"
import { badRequest, orNotFound, type Routes } from "../request.ts"

const maxSeconds = 86_400
const sources = ["datastreams", "rtds", "twap60"] as const

/** Emitted ticks and missing seconds of the price feeds. Prices are whole numbers of 10⁻⁸ USD. */
export const tickRoutes = (sim: Simulation): Routes => {
  const { oracle } = sim.model.world
  const tickOf = {
    datastreams: (coin: number, second: number) => oracle.tick(coin, second),
    rtds: (coin: number, second: number) => {
      const price = oracle.platformPrice(coin, second)
      return price === undefined ? undefined : { second, price }
    },
    twap60: (coin: number, second: number) =>
      oracle.platformPrice(coin, second) === undefined
        ? undefined
        : { second, price: twapOf(oracle, coin, second, 60) },
  }
  return {
    "GET /truth/ticks": ({ query }) => {
      const feed = query.text("feed") ?? ""
      const named = ({ symbol, feedId }: Coin) => symbol === feed.toUpperCase() || feedId === feed.toLowerCase()
      const found = coins.findIndex(named)
      const coin = orNotFound(found < 0 ? undefined : found, "feed")
      const source = query.oneOf("source", sources) ?? "datastreams"
      const now = Math.floor(sim.now() / 1000)
      const to = Math.min(query.integer("to") ?? now, now)
      const from = query.integer("from") ?? to - 59
      if (to - from >= maxSeconds) throw badRequest(`from: must be less than ${maxSeconds} seconds before to`)
      const ticks: Array<object> = []
      const missing: Array<number> = []
      for (let second = from; second <= to; second++) {
        const tick = tickOf[source](coin, second)
        if (tick === undefined) missing.push(second)
        else ticks.push(tick)
      }
      const { symbol, feedId } = coins[coin] as Coin
      return { symbol, feed_id: feedId, source, decimals: 8, from, to, emitted: ticks.length, ticks, missing }
    },
  }
}
