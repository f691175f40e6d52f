import { type Coin, coins } from "#src/domain/Tick.ts"

/** Slug prefixes of a coin's events and series; the venue uses them without a pattern. */
const namesOf: Readonly<Record<Coin, readonly [string, ...ReadonlyArray<string>]>> = {
  BTC: ["btc", "bitcoin"],
  ETH: ["eth", "ethereum"],
  SOL: ["sol", "solana"],
  BNB: ["bnb"],
  XRP: ["xrp"],
  DOGE: ["doge", "dogecoin"],
  HYPE: ["hype", "hyperliquid"],
}

export const coinNames = (coin: Coin): ReadonlyArray<string> => namesOf[coin]

export const allCoinNames: ReadonlyArray<string> = coins.flatMap(coinNames)

/** Slug of a coin's five-minute event that starts at a second. */
export const fiveMinuteSlug = (coin: Coin, start: number): string => `${namesOf[coin][0]}-updown-5m-${start}`
