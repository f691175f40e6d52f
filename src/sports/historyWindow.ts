/** Unix seconds; a point at `from`, and then one every `step` seconds up to `to`. */
export interface HistoryWindow {
  readonly from: number
  readonly to: number
  readonly step: number
}

export const historyIntervals = ["max", "1w", "1d"] as const
export type HistoryInterval = (typeof historyIntervals)[number]

const minute = 60
const lengths: Readonly<Record<Exclude<HistoryInterval, "max">, number>> = { "1d": 86_400, "1w": 7 * 86_400 }

/** Minutes between points that are chosen without being asked for. */
const usualSteps = [1, 2, 5, 10, 15, 30, 60, 120, 240, 720, 1440]
const usualPoints = 300
/** More points are not given: a finer `fidelity` is made coarser. */
export const mostPoints = 1_000

export interface HistoryRequest {
  readonly interval: HistoryInterval | undefined
  readonly startTs: number | undefined
  readonly endTs: number | undefined
  /** Minutes. */
  readonly fidelity: number | undefined
}

/** The times of a history. `first` and `last` are the seconds in which the markets were listed and closed. */
export const windowOf = (
  { interval = "max", startTs, endTs, fidelity }: HistoryRequest,
  first: number,
  last: number,
): HistoryWindow => {
  const to = Math.min(endTs ?? last, last)
  const begin = interval === "max" ? first : to - lengths[interval]
  const from = Math.max(startTs ?? begin, first)
  const seconds = Math.max(0, to - from)
  const least = Math.ceil(seconds / mostPoints / minute)
  const usual =
    usualSteps.find((each) => seconds / (each * minute) <= usualPoints) ?? Math.ceil(seconds / usualPoints / minute)
  const step = Math.max(fidelity ?? usual, least, 1) * minute
  // Points at multiples of the step are the same in every answer.
  return { from: Math.ceil(from / step) * step, to, step }
}
