import type { Millis } from "../../model.ts"
import { clockHour, clockTime, dateSlug, eastern, easternOffset, hour, monthDay } from "../eastern.ts"
import { type CoinNames, coinNames, type Span } from "./names.ts"

interface Named {
  readonly coin: number
  readonly span: Span
  readonly openAt: Millis
  readonly closeAt: Millis
}

/** When clocks go back, New York shows 1 AM twice; the second one's slug must still be its own. */
const isRepeatedHour = (at: Millis): boolean => easternOffset(at) < easternOffset(at - hour)

export const slugOf = ({ coin, span, openAt, closeAt }: Named): string => {
  const { short, long } = coinNames[coin] as CoinNames
  if (span === "daily") return `${long}-up-or-down-on-${dateSlug(eastern(closeAt))}`
  if (span !== "1h") return `${short}-updown-${span}-${openAt / 1000}`
  const opens = eastern(openAt)
  const again = isRepeatedHour(openAt) ? "-2" : ""
  return `${long}-up-or-down-${dateSlug(opens)}-${clockHour(opens).toLowerCase()}-et${again}`
}

export const titleOf = ({ coin, span, openAt, closeAt }: Named): string => {
  const { title } = coinNames[coin] as CoinNames
  const opens = eastern(openAt)
  const closes = eastern(closeAt)
  if (span === "daily") return `${title} Up or Down on ${monthDay(closes)}?`
  if (span === "1h") return `${title} Up or Down - ${monthDay(opens)}, ${clockHour(opens)} ET`
  return `${title} Up or Down - ${monthDay(opens)}, ${clockTime(opens)}-${clockTime(closes)} ET`
}
