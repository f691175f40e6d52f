import type { Market } from "../world/Venue.ts"
import { competitive } from "./competitive.ts"
import { encoded } from "./text.ts"
import type { View } from "./View.ts"

/** Nobody quotes a market once trading has ended. */
const emptyBook = { bestBid: 0, bestAsk: 1, spread: 1 }

const bookOf = (view: View, market: Market) => {
  if (!view.isTrading(market)) return emptyBook
  const { bid, ask } = view.quotes(market)
  return { bestBid: bid / 1000, bestAsk: ask / 1000, spread: (ask - bid) / 1000 }
}

/** All that changes with trading. */
export const numbersOf = (view: View, market: Market) => {
  const { index } = market
  const { trades } = view
  const prices = view.prices(market)
  const volume = view.volume(market)
  const liquidity = view.liquidity(market)
  const [day, week, month, year] = (["day", "week", "month", "year"] as const).map((span) =>
    view.recentVolume(market, span),
  )
  return {
    outcomePrices: encoded(prices.map(String)),
    volume: String(volume),
    volumeNum: volume,
    volumeClob: volume,
    volume24hr: day,
    volume1wk: week,
    volume1mo: month,
    volume1yr: year,
    volume24hrClob: day,
    volume1wkClob: week,
    volume1moClob: month,
    volume1yrClob: year,
    liquidity: String(liquidity),
    liquidityNum: liquidity,
    liquidityClob: liquidity,
    competitive: competitive(prices[0]),
    orderPriceMinTickSize: view.sim.made.world.tickOf(market) / 1000,
    ...bookOf(view, market),
    lastTradePrice: trades.lastAt(index) === 0 ? undefined : trades.last(index) / 1000,
    oneHourPriceChange: trades.priceChange(index, "hour") / 1000,
    oneDayPriceChange: trades.priceChange(index, "day") / 1000,
    oneWeekPriceChange: trades.priceChange(index, "week") / 1000,
    oneMonthPriceChange: trades.priceChange(index, "month") / 1000,
    oneYearPriceChange: trades.priceChange(index, "year") / 1000,
  }
}
