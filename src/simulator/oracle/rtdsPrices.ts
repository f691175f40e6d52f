import type { Simulation } from "../Simulation.ts"
import { coins, type Oracle } from "../world/oracle.ts"
import { binancePrice, twapOf } from "./derivedPrices.ts"
import type { RtdsSource } from "./rtdsFrames.ts"

const snapshotSeconds = 120
const decimals = 8
const unit = 10 ** decimals

interface PriceTopic {
  readonly symbolOf: (coin: string) => string
  /** In 10⁻⁸; undefined for a missing second. */
  readonly priceAt: (oracle: Oracle, coin: number, second: number) => number | undefined
  readonly fullAccuracy: (price: number) => string
  readonly extra: object
}

const againstTether = (coin: string) => `${coin}usdt`
const againstDollar = (coin: string) => `${coin}/usd`

const decimalText = (price: number) => {
  const digits = String(price).padStart(decimals + 1, "0")
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
const scaledTo18 = (price: number) => `${price}${"0".repeat(18 - decimals)}`

/** The TWAP that markets resolve by, missing in the same seconds as the platform price. */
const twapTopic = (seconds: number): PriceTopic => ({
  symbolOf: againstDollar,
  priceAt: (oracle, coin, second) =>
    oracle.platformPrice(coin, second) === undefined ? undefined : twapOf(oracle, coin, second, seconds),
  fullAccuracy: scaledTo18,
  extra: { window_s: seconds },
})

const platformPrice = (oracle: Oracle, coin: number, second: number) => oracle.platformPrice(coin, second)

const topics = new Map<string, PriceTopic>([
  ["crypto_prices", { symbolOf: againstTether, priceAt: binancePrice, fullAccuracy: decimalText, extra: {} }],
  ["crypto_prices_chainlink", { symbolOf: againstDollar, priceAt: platformPrice, fullAccuracy: scaledTo18, extra: {} }],
  ["crypto_prices_twap_thirty", twapTopic(30)],
  ["crypto_prices_twap_sixty", twapTopic(60)],
])

/** The service labels the snapshot of one topic like another one. */
const labelOf = (topic: string) => (topic === "crypto_prices_chainlink" ? "crypto_prices" : topic)

const symbolsOf = ({ symbolOf }: PriceTopic) => coins.map(({ symbol }) => symbolOf(symbol.toLowerCase()))

/** The platform's prices: no bid or ask, and some seconds are missing. */
export const rtdsPrices = (sim: Simulation): RtdsSource => {
  const { oracle } = sim.model.world

  const recent = ({ priceAt }: PriceTopic, coin: number) => {
    const last = Math.floor(sim.now() / 1000)
    return Array.from({ length: snapshotSeconds }, (_, i) => last - snapshotSeconds + 1 + i).flatMap((second) => {
      const price = priceAt(oracle, coin, second)
      return price === undefined ? [] : [{ timestamp: second * 1000, value: price / unit }]
    })
  }

  return {
    topics: [...topics.keys()],
    snapshots: (topic, filter) => {
      const prices = topics.get(topic)
      if (prices === undefined) return []
      return symbolsOf(prices).flatMap((symbol, coin) => {
        if (!filter.matches({ symbol })) return []
        return [{ topic: labelOf(topic), type: "subscribe", payload: { symbol, data: recent(prices, coin) } }]
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
            const full_accuracy_value = prices.fullAccuracy(price)
            return { symbol, timestamp: second * 1000, value: price / unit, full_accuracy_value, ...prices.extra }
          })
        }
      })
    },
  }
}
