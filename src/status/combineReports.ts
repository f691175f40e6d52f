import type { Measurements } from "./measurements.ts"
import type { ProcessReport } from "./StatusStore.ts"

/** The reports of all processes about one source. */
export interface CombinedReport extends Measurements {
  /** Time of the last report, in milliseconds; null when there is none. */
  readonly reportedAt: number | null
  /** Start of the counts. */
  readonly since: number | null
}

type Numbers = Readonly<Record<string, number>>

const merged = (all: ReadonlyArray<Numbers>, join: (a: number, b: number) => number): Numbers => {
  const result: Record<string, number> = {}
  for (const numbers of all) {
    for (const [name, value] of Object.entries(numbers)) {
      const before = result[name]
      result[name] = before === undefined ? value : join(before, value)
    }
  }
  return result
}
const sum = (a: number, b: number) => a + b

/**
 * Adds up the counts of all processes, because a follower may have moved between processes and books are spread over
 * several. Rates and current amounts come only from processes that reported recently. A report of the future is of a clock
 * that was ahead; its process has ended, because the next report would have replaced it.
 */
export const combineReports = (
  reports: ReadonlyArray<ProcessReport>,
  recent: { readonly from: number; readonly to: number },
): CombinedReport => {
  const all = reports.map((report) => report.measurements)
  const fresh = reports.filter(({ at }) => at >= recent.from && at <= recent.to).map((report) => report.measurements)
  const newest = all.flatMap(({ unread }) => unread ?? []).toSorted((a, b) => b.at - a.at)[0]
  return {
    counts: merged(
      all.map(({ counts }) => counts),
      sum,
    ),
    rates: merged(
      fresh.map(({ rates }) => rates),
      sum,
    ),
    moments: merged(
      all.map(({ moments }) => moments),
      Math.max,
    ),
    now: merged(
      fresh.map(({ now }) => now),
      sum,
    ),
    unread: newest ?? null,
    reportedAt: reports.length === 0 ? null : Math.max(...reports.map(({ at }) => at)),
    since: reports.length === 0 ? null : Math.min(...reports.map(({ since }) => since)),
  }
}
