/** Lengths of the windows in which a coin's price rises or falls, and what their series call them. */
export const intervals = ["5m", "15m", "1h", "4h", "daily"] as const
export type Interval = (typeof intervals)[number]

interface IntervalFacts {
  /** Undefined for the day, which lasts from noon to noon in New York and so now and then 23 or 25 hours. */
  readonly seconds: number | undefined
  /** As the venue writes it, now or in the past. */
  readonly recurrences: ReadonlyArray<string>
  /** Seconds whose mean price decides, unless the market itself says so; 0 where the price of the moment does. */
  readonly meanOf: number
}

export const intervalFacts: Readonly<Record<Interval, IntervalFacts>> = {
  "5m": { seconds: 300, recurrences: ["5m"], meanOf: 60 },
  "15m": { seconds: 900, recurrences: ["15m"], meanOf: 60 },
  "1h": { seconds: 3_600, recurrences: ["hourly", "1h"], meanOf: 0 },
  "4h": { seconds: 14_400, recurrences: ["4h"], meanOf: 60 },
  daily: { seconds: undefined, recurrences: ["daily", "1d"], meanOf: 0 },
}

/** How a recurrence is shown: like the interval that goes by another name at the venue, else as it is. */
export const shownRecurrence = (recurrence: string): string =>
  intervals.find((interval) => intervalFacts[interval].recurrences.includes(recurrence)) ?? recurrence

/** Recurrences whose events are over within a day. */
export const shortRecurrences: ReadonlyArray<string> = intervals.flatMap((interval) =>
  intervalFacts[interval].seconds === undefined ? [] : intervalFacts[interval].recurrences,
)

const daySeconds = 86_400
const newYorkClock = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/New_York",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
})
const isNoon = (second: number) => newYorkClock.format(second * 1000) === "12:00:00"

/** Noon in New York on the days around a moment, in seconds and in order: it is 16:00 or 17:00 in UTC. */
const noonsAround = (second: number): ReadonlyArray<number> => {
  const midnight = Math.floor(second / daySeconds) * daySeconds
  return [-1, 0, 1, 2]
    .flatMap((days) => [16, 17].map((hour) => midnight + days * daySeconds + hour * 3_600))
    .filter(isNoon)
}

export interface Bounds {
  /** Seconds: the window that a moment lies in starts here and ends there. */
  readonly start: number
  readonly end: number
}

/** The window of an interval that a moment lies in; its first second belongs to it, its last one to the next. */
export const windowAt = (interval: Interval, second: number): Bounds => {
  const { seconds } = intervalFacts[interval]
  if (seconds !== undefined) {
    const start = Math.floor(second / seconds) * seconds
    return { start, end: start + seconds }
  }
  const noons = noonsAround(second)
  const next = noons.findIndex((noon) => noon > second)
  return { start: noons[next - 1] ?? second, end: noons[next] ?? second }
}
