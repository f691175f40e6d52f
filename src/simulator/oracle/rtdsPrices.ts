import type { Simulation } from "../Simulation.ts"
import { coins, type Oracle } from "../world/oracle.ts"
import { binancePrice } from "./binance.ts"
import type { RtdsSource } from "./rtds.ts"
import { twapOf } from "./twap.ts"

const snapshotSeconds = 120
const decimals = 8
const unit = 10 ** decimals

interface PriceTopic {
  readonly symbolOf: (coin: string) => string
  /** In 10⁻⁸, undefined for a second that never comes. */
  readonly priceAt: (oracle: Oracle, coin: number, second: number) => number | undefined
  readonly accurate: (price: number) => string
  readonly extra: object
}

const againstTether = (coin: string) => `${coin}usdt`
const againstDollar = (coin: string) => `${coin}/usd`

const decimalText = (price: number) => {
  const digits = String(price).padStart(decimals + 1, "0")
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
const scaledTo18 = (price: number) => `${price}${"0".repeat(18 - decimals)}`

/** A mean of what the data-streams source reported, as markets are resolved by, lost as often as any other message. */
const twapTopic = (seconds: number): PriceTopic => ({
  symbolOf: againstDollar,
  priceAt: (oracle, coin, second) =>
    oracle.platformPrice(coin, second) === undefined ? undefined : twapOf(oracle, coin, second, seconds),
  accurate: scaledTo18,
  extra: { window_s: seconds },
})

const platformPrice = (oracle: Oracle, coin: number, second: number) => oracle.platformPrice(coin, second)

const topics = new Map<string, PriceTopic>([
  ["crypto_prices", { symbolOf: againstTether, priceAt: binancePrice, accurate: decimalText, extra: {} }],
  ["crypto_prices_chainlink", { symbolOf: againstDollar, priceAt: platformPrice, accurate: scaledTo18, extra: {} }],
  ["crypto_prices_twap_thirty", twapTopic(30)],
  ["crypto_prices_twap_sixty", twapTopic(60)],
])

const symbolsOf = ({ symbolOf }: PriceTopic) => coins.map(({ symbol }) => symbolOf(symbol.toLowerCase()))

/** The platform's prices: no bid or ask, and some seconds never come. */
export const rtdsPrices = (sim: Simulation): RtdsSource => {
  const { oracle } = sim.made.world

  const recent = ({ priceAt }: PriceTopic, coin: number) => {
    const last = Math.floor(sim.now() / 1000)
    return Array.from({ length: snapshotSeconds }, (_, i) => last - snapshotSeconds + 1 + i).flatMap((second) => {
      const price = priceAt(oracle, coin, second)
      return price === undefined ? [] : [{ timestamp: second * 1000, value: price / unit }]
    })
  }

  return {
    snapshots: (topic, filter) => {
      const prices = topics.get(topic)
      if (prices === undefined) return []
      return symbolsOf(prices).flatMap((symbol, coin) => {
        if (!filter.matches({ symbol })) return []
        return [{ topic, type: "subscribe", payload: { symbol, data: recent(prices, coin) } }]
      })
    },
    start: (publish) => {
      const feeds = [...topics].flatMap(([topic, prices]) =>
        symbolsOf(prices).map((symbol, coin) => ({ topic, prices, symbol, coin })),
      )
      sim.on("second", (second) => {
        for (const { topic, prices, symbol, coin } of feeds) {
          if (oracle.platformPrice(coin, second) === undefined) continue
          publish(topic, "update", { symbol }, () => {
            const price = prices.priceAt(oracle, coin, second) as number
            const full_accuracy_value = prices.accurate(price)
            return { symbol, timestamp: second * 1000, value: price / unit, full_accuracy_value, ...prices.extra }
          })
        }
      })
    },
  }
}
