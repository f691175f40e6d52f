import type { Market } from "../world/Venue.ts"
import { encodedList } from "./format.ts"
import type { GammaView } from "./GammaView.ts"

/** How undecided a market is: 1 at even chances, 0.8 when certain. */
export const competitiveness = (price: number): number => 1 / (1 + (price - 0.5) ** 2)

/** The quotes of a market after the end of trading. */
const emptyBook = { bestBid: 0, bestAsk: 1, spread: 1 }

const bookOf = (view: GammaView, market: Market) => {
  if (!view.isTrading(market)) return emptyBook
  const { bid, ask } = view.quotes(market)
  return { bestBid: bid / 1000, bestAsk: ask / 1000, spread: (ask - bid) / 1000 }
}

/** The fields that change with trading. */
export const numbersOf = (view: GammaView, market: Market) => {
  const { index } = market
  const { trades } = view
  const prices = view.prices(market)
  const volume = view.volume(market)
  const liquidity = view.liquidity(market)
  const [day, week, month, year] = (["day", "week", "month", "year"] as const).map((span) =>
    view.recentVolume(market, span),
  )
  return {
    outcomePrices: encodedList(prices.map(String)),
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
    competitive: competitiveness(prices[0]),
    orderPriceMinTickSize: view.sim.model.world.tickOf(market) / 1000,
    ...bookOf(view, market),
    lastTradePrice: trades.lastAt(index) === 0 ? undefined : trades.last(index) / 1000,
    oneHourPriceChange: trades.priceChange(index, "hour") / 1000,
    oneDayPriceChange: trades.priceChange(index, "day") / 1000,
    oneWeekPriceChange: trades.priceChange(index, "week") / 1000,
    oneMonthPriceChange: trades.priceChange(index, "month") / 1000,
    oneYearPriceChange: trades.priceChange(index, "year") / 1000,
  }
}
