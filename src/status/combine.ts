import type { Figures } from "./figures.ts"
import type { Account } from "./StatusStore.ts"

/** What all processes together say about a source. */
export interface Told extends Figures {
  /** When one of them last did, in milliseconds; null when nobody ever has. */
  readonly reportedAt: number | null
  /** Since when it is counted. */
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
 * A follower may have moved from one process to another, and books are spread over several: so counts are added up,
 * whoever counted. How things are now, only those know who still report.
 */
export const combine = (accounts: ReadonlyArray<Account>, freshSince: number): Told => {
  const figures = accounts.map((account) => account.figures)
  const fresh = accounts.filter(({ at }) => at >= freshSince).map((account) => account.figures)
  const newest = figures.flatMap(({ unread }) => unread ?? []).toSorted((a, b) => b.at - a.at)[0]
  return {
    counts: merged(
      figures.map(({ counts }) => counts),
      sum,
    ),
    rates: merged(
      fresh.map(({ rates }) => rates),
      sum,
    ),
    moments: merged(
      figures.map(({ moments }) => moments),
      Math.max,
    ),
    now: merged(
      fresh.map(({ now }) => now),
      sum,
    ),
    unread: newest ?? null,
    reportedAt: accounts.length === 0 ? null : Math.max(...accounts.map(({ at }) => at)),
    since: accounts.length === 0 ? null : Math.min(...accounts.map(({ since }) => since)),
  }
}
