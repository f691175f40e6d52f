import { type Coin, coins } from "#src/domain/Tick.ts"

/** What the names of a coin's events and series begin with; which of them is used follows no pattern. */
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

/** The event of a coin for the five minutes that begin with a second. */
export const fiveMinuteSlug = (coin: Coin, start: number): string => `${namesOf[coin][0]}-updown-5m-${start}`
