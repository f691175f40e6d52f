import { type FinePrice, finePrice } from "#src/domain/amounts.ts"
import { type Coin, coins } from "#src/domain/Tick.ts"

/** Feed ids of the oracle (v3 reports, crypto). */
export const feedIds: Readonly<Record<Coin, string>> = {
  BTC: "0x00039d9e45394f473ab1f050a1b963e6b05351e52d71e507509ada0c95ed75b8",
  ETH: "0x000362205e10b3a147d02792eccee483dca6c7b44ecce7012cb8c6e0b68b3ae9",
  SOL: "0x0003b778d3f6b2ac4991302b89cb313f99a42467d6c9c5f96f57c29c0d2bc24f",
  BNB: "0x000335fd3f3ffa06cfd9297b97367f77145d7a5f132e84c736cc471dd98621fe",
  XRP: "0x0003c16c6aed42294f5cb4741f6e59ba2d728f0eae2eb9e6d3f555808c59fc45",
  DOGE: "0x000356ca64d3b32135e17dc0dc721a645bf50d0303be8ceb2cdca0a50bab8fdc",
  HYPE: "0x0003d34539af562867c3cb309b59efccf40e74b404fb415eeb7699d61322aed9",
}

const byFeedId = new Map(coins.map((coin) => [feedIds[coin], coin]))

export const coinOfFeedId = (feedId: string): Coin | undefined => byFeedId.get(feedId.toLowerCase())

/** Symbol of a coin on the platform. */
export const symbolOf = (coin: Coin): string => `${coin.toLowerCase()}/usd`

const bySymbol = new Map(coins.map((coin) => [symbolOf(coin), coin]))

export const coinOfSymbol = (symbol: string): Coin | undefined => bySymbol.get(symbol.toLowerCase())

/** From the oracle's 18 decimals to our 8. */
const perUnit = 10n ** 10n

/** Rounded half up. */
export const fromEighteenDecimals = (value: bigint): FinePrice => finePrice((value + perUnit / 2n) / perUnit)

/** A decimal number in digits, rounded half up at the eighth decimal. */
export const fromDecimal = (text: string): FinePrice => {
  const [whole = "0", fraction = ""] = text.split(".")
  return fromEighteenDecimals(BigInt(`${whole}${fraction.slice(0, 18).padEnd(18, "0")}`))
}

/** Larger numbers cannot represent eight decimals exactly. */
export const maxExactNumber = 10_000_000

/** Rounded half up. Exact to the eighth decimal up to `maxExactNumber`. */
export const fromNumber = (value: number): FinePrice => finePrice(BigInt(Math.round(value * 1e8)))
