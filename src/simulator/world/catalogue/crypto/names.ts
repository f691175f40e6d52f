import { coins } from "../../oracle.ts"

/** A span of time that up/down events repeat in. */
export type Span = "5m" | "15m" | "1h" | "4h" | "daily"

/** As in titles. */
const titles: Readonly<Record<string, string>> = {
  BTC: "Bitcoin",
  ETH: "Ethereum",
  SOL: "Solana",
  BNB: "BNB",
  XRP: "XRP",
  DOGE: "Dogecoin",
  HYPE: "Hyperliquid",
}

export interface CoinNames {
  /** btc */
  readonly short: string
  /** bitcoin */
  readonly long: string
  /** Bitcoin */
  readonly title: string
  readonly tag: string
}

export const coinNames: ReadonlyArray<CoinNames> = coins.map(({ symbol, name }) => {
  const title = titles[symbol] as string
  return { short: symbol.toLowerCase(), long: name, title, tag: title.toLowerCase() }
})

/** How much a coin's markets are traded compared with Bitcoin's. */
const shares: Readonly<Record<string, number>> = {
  BTC: 1,
  ETH: 0.4,
  SOL: 0.25,
  BNB: 0.06,
  XRP: 0.2,
  DOGE: 0.06,
  HYPE: 0.1,
}

export const coinShare: ReadonlyArray<number> = coins.map(({ symbol }) => shares[symbol] as number)
