/** Lengths of up-or-down windows. */
export const intervals = ["5m", "15m", "1h", "4h", "daily"] as const
export type Interval = (typeof intervals)[number]

interface IntervalFacts {
  /** Undefined for the day, which lasts from noon to noon in New York: 23 or 25 hours when clocks change. */
  readonly seconds: number | undefined
  /** Current and former names at the venue. */
  readonly recurrences: ReadonlyArray<string>
  /** Seconds whose mean price decides, unless the market specifies it; 0 for the price at the moment itself. */
  readonly meanOf: number
}

export const intervalFacts: Readonly<Record<Interval, IntervalFacts>> = {
  "5m": { seconds: 300, recurrences: ["5m"], meanOf: 60 },
  "15m": { seconds: 900, recurrences: ["15m"], meanOf: 60 },
  "1h": { seconds: 3_600, recurrences: ["hourly", "1h"], meanOf: 0 },
  "4h": { seconds: 14_400, recurrences: ["4h"], meanOf: 60 },
  daily: { seconds: undefined, recurrences: ["daily", "1d"], meanOf: 0 },
}

/** Name of a recurrence in the API: the interval with that name at the venue, else unchanged. */
export const shownRecurrence = (recurrence: string): string =>
  intervals.find((interval) => intervalFacts[interval].recurrences.includes(recurrence)) ?? recurrence

/** Recurrences shorter than a day. */
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

/** Noons in New York around a moment, in seconds and in order: 16:00 or 17:00 UTC. */
const noonsAround = (second: number): ReadonlyArray<number> => {
  const midnight = Math.floor(second / daySeconds) * daySeconds
  return [-1, 0, 1, 2]
    .flatMap((days) => [16, 17].map((hour) => midnight + days * daySeconds + hour * 3_600))
    .filter(isNoon)
}

export interface Bounds {
  /** Inclusive, in seconds; the end is exclusive. */
  readonly start: number
  readonly end: number
}

/** The window that contains a second. */
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
