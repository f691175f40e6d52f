import type { Millis } from "../../model.ts"
import { coins } from "../../oracle.ts"
import { clockHour, clockTime, dateSlug, eastern, easternOffset, hour, monthDay } from "../eastern.ts"

/** Lengths of up/down windows. */
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

/** Trading activity of a coin's markets relative to Bitcoin's. */
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

/** A window of an up/down market. */
export interface UpDownWindow {
  readonly coin: number
  readonly span: Span
  readonly openAt: Millis
  readonly closeAt: Millis
}

/** When clocks go back, New York shows 1 AM twice; the second hour needs a slug of its own. */
const isRepeatedHour = (at: Millis): boolean => easternOffset(at) < easternOffset(at - hour)

export const windowSlug = ({ coin, span, openAt, closeAt }: UpDownWindow): string => {
  const { short, long } = coinNames[coin] as CoinNames
  if (span === "daily") return `${long}-up-or-down-on-${dateSlug(eastern(closeAt))}`
  if (span !== "1h") return `${short}-updown-${span}-${openAt / 1000}`
  const opens = eastern(openAt)
  const again = isRepeatedHour(openAt) ? "-2" : ""
  return `${long}-up-or-down-${dateSlug(opens)}-${clockHour(opens).toLowerCase()}-et${again}`
}

export const windowTitle = ({ coin, span, openAt, closeAt }: UpDownWindow): string => {
  const { title } = coinNames[coin] as CoinNames
  const opens = eastern(openAt)
  const closes = eastern(closeAt)
  if (span === "daily") return `${title} Up or Down on ${monthDay(closes)}?`
  if (span === "1h") return `${title} Up or Down - ${monthDay(opens)}, ${clockHour(opens)} ET`
  return `${title} Up or Down - ${monthDay(opens)}, ${clockTime(opens)}-${clockTime(closes)} ET`
}
