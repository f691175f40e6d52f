import type { Result, SavedLine } from "./results.ts"

/** Other programs may use this share of the processors. */
const busyLimit = 0.15
/** Differences below this are noise. */
const tolerance = 0.05

export interface Change {
  readonly bench: string
  readonly what: string
  readonly unit: string
  readonly earlier: number
  readonly later: number
  /** Above 1 is better, whatever the unit. */
  readonly gain: number
}

/** Undefined where neither more nor less is better, as in counts. */
const isMoreBetter = ({ unit, goal }: SavedLine): boolean | undefined => {
  if (goal !== undefined) return !("most" in goal)
  if (unit.endsWith("/s")) return true
  return /^(ms|s|µs.*|.*[KM]B|bytes.*|cores)$/.test(unit) ? false : undefined
}

/** Why two results say nothing about each other; empty when they do. */
export const refusals = (earlier: Result, later: Result): ReadonlyArray<string> => {
  const busy = ({ at, reports }: Result) =>
    Object.entries(reports)
      .filter(([, each]) => each.busy > busyLimit)
      .map(
        ([name, each]) =>
          `${name} of ${at}: other programs used ${Math.round(each.busy * 100)} % of the processors before it`,
      )
  const differing = (["node", "arch", "cpu", "cpus"] as const)
    .filter((key) => earlier.machine[key] !== later.machine[key])
    .map((key) => `${key}: ${earlier.machine[key]} and ${later.machine[key]}`)
  return [...differing, ...busy(earlier), ...busy(later)]
}

/** Every figure that both results have and that may get better or worse, the worst first. */
export const changes = (earlier: Result, later: Result): ReadonlyArray<Change> =>
  Object.entries(later.reports)
    .flatMap(([bench, { lines }]) =>
      lines.flatMap((line, position) => {
        const before = matching(earlier.reports[bench]?.lines ?? [], line, position)
        const moreIsBetter = isMoreBetter(line)
        if (before === undefined || moreIsBetter === undefined || before.ours <= 0 || line.ours <= 0) return []
        const gain = moreIsBetter ? line.ours / before.ours : before.ours / line.ours
        return [{ bench, what: line.what.trim(), unit: line.unit, earlier: before.ours, later: line.ours, gain }]
      }),
    )
    .toSorted((a, b) => a.gain - b.gain)

/** The same line: some names occur more than once in a report, so that the position decides. */
const matching = (lines: ReadonlyArray<SavedLine>, { what, unit }: SavedLine, position: number) => {
  const isSame = (line: SavedLine | undefined) => line !== undefined && line.what === what && line.unit === unit
  return isSame(lines[position]) ? lines[position] : lines.find(isSame)
}

const number = (value: number) => value.toLocaleString("en", { maximumSignificantDigits: 4 })

/** What got slower or larger, as text. */
export const renderChanges = (earlier: Result, later: Result): string => {
  const all = changes(earlier, later)
  const worse = all.filter(({ gain }) => gain < 1 - tolerance)
  const better = all.filter(({ gain }) => gain > 1 + tolerance)
  const percent = (gain: number) => `${Math.round(Math.abs(1 - gain) * 100)} %`
  const line = (word: string) => (each: Change) =>
    `  ${each.bench}: ${each.what}: ${number(each.earlier)} → ${number(each.later)} ${each.unit} (${percent(each.gain)} ${word})`
  return [
    `compared ${earlier.commit} (${earlier.at}) with ${later.commit} (${later.at}): ${all.length} figures`,
    worse.length === 0
      ? `nothing is worse by more than ${tolerance * 100} %`
      : `worse by more than ${tolerance * 100} %:`,
    ...worse.map(line("worse")),
    ...(better.length === 0
      ? []
      : [`better by more than ${tolerance * 100} %:`, ...better.toReversed().map(line("better"))]),
  ].join("\n")
}
