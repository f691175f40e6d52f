import type { Coin } from "#src/domain/Tick.ts"
import { type Bounds, type Interval, intervalFacts, windowAt } from "./intervals.ts"
import { UnknownWindow, WrongWindow } from "./model.ts"

export interface WindowQuery {
  readonly coin: Coin
  readonly interval: Interval
  /** Start of the window in seconds. */
  readonly window: number
}

const startsAt = (interval: Interval) => {
  const { seconds } = intervalFacts[interval]
  return seconds === undefined
    ? "A daily window starts at noon in New York"
    : `A ${interval} window starts at a multiple of ${seconds}`
}

/** The year 5138 in seconds. */
const maxSecond = 1e11

const toSeconds = (moment: number): number => (moment > maxSecond ? toSeconds(Math.floor(moment / 1000)) : moment)

/** Bounds of the requested window, or why it does not exist. */
export const boundsOf = ({ interval, window }: WindowQuery, now: number): Bounds | WrongWindow => {
  const current = windowAt(interval, Math.floor(now / 1000))
  if (window > maxSecond) {
    return new WrongWindow({
      param: "window",
      error: `Parameter "window": expected Unix seconds, got ${window}, which looks like milliseconds or less.`,
      hint: `Did you mean ${toSeconds(window)}?`,
    })
  }
  if (window * 1000 > now) {
    return new WrongWindow({
      param: "window",
      error: `Parameter "window": the ${interval} window of ${window} lies in the future.`,
      hint: `The current one started at ${current.start}.`,
    })
  }
  const bounds = windowAt(interval, window)
  if (bounds.start === window) return bounds
  const nearest = bounds.end <= current.start ? `${bounds.start} or ${bounds.end}` : `${bounds.start}`
  return new WrongWindow({
    param: "window",
    error: `Parameter "window": ${window} is not the start of a ${interval} window.`,
    hint: `${startsAt(interval)}; the nearest: ${nearest}.`,
  })
}

const describeWindow = ({ coin, interval, window }: WindowQuery) =>
  `the ${interval} window of ${coin} that started at ${window}`

export const noMarket = (query: WindowQuery) =>
  new UnknownWindow({
    error: `No up-or-down market is known for ${describeWindow(query)}.`,
    hint: "GET /v1/crypto/series lists the available series; markets that closed long ago are not kept.",
  })

export const noTicks = (query: WindowQuery) =>
  new UnknownWindow({
    error: `No prices are known for ${describeWindow(query)}.`,
    hint: "Request a later window: prices are known only since their collection began.",
  })
