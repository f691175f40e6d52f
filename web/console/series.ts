import type { Sample } from "./shapes.ts"

const hourMillis = 3_600_000

/** Adds newer samples and drops those that are older than an hour, so that a page left open does not grow. */
export const merged = (known: ReadonlyArray<Sample>, newer: ReadonlyArray<Sample>): ReadonlyArray<Sample> => {
  const all = [...known, ...newer]
  const from = (all.at(-1)?.at ?? 0) - hourMillis
  return all.filter(({ at }) => at > from)
}

const bucketMillis = 10_000
const colours = ["primary", "up", "caution", "down"] as const
type Colour = (typeof colours)[number]

/** Colours of lines that are no good sign. */
const warnings: Readonly<Record<string, Colour>> = { failed: "down", refused: "caution", retried: "caution" }

export interface Series {
  readonly xs: ReadonlyArray<number>
  readonly lines: ReadonlyArray<{
    readonly label: string
    readonly values: ReadonlyArray<number | null>
    readonly colour: Colour
  }>
}

/** One line per name over shared moments; samples of one moment add up. */
const seriesOf = (
  all: ReadonlyArray<Sample>,
  valuesOf: (sample: Sample) => Readonly<Record<string, number>>,
  names?: ReadonlyArray<string>,
): Series => {
  const moments = new Map<number, Record<string, number>>()
  const sums = new Map<string, number>()
  for (const sample of all) {
    const at = Math.floor(sample.at / bucketMillis) * (bucketMillis / 1000)
    const row = moments.get(at) ?? {}
    moments.set(at, row)
    for (const [name, value] of Object.entries(valuesOf(sample))) {
      row[name] = (row[name] ?? 0) + value
      sums.set(name, (sums.get(name) ?? 0) + value)
    }
  }
  const xs = [...moments.keys()].sort((a, b) => a - b)
  // Four colours can be distinguished; the largest lines matter most.
  const shown = names ?? [...sums].sort(([, a], [, b]) => b - a).map(([name]) => name)
  const lines = shown.slice(0, colours.length).map((label, i) => ({
    label,
    values: xs.map((at) => moments.get(at)?.[label] ?? (names === undefined ? null : 0)),
    colour: warnings[label] ?? colours[i] ?? "primary",
  }))
  return { xs, lines }
}

/** A value of each process. */
export const perProcess = (all: ReadonlyArray<Sample>, value: (sample: Sample) => number): Series =>
  seriesOf(all, (sample) => ({ [sample.process]: value(sample) }))

/** Counts per second, by label; each label adds up the counts whose names match. */
export const rates = (
  all: ReadonlyArray<Sample>,
  labels: Readonly<Record<string, (name: string) => boolean>>,
): Series =>
  seriesOf(
    all,
    ({ counts, seconds }) =>
      Object.fromEntries(
        Object.entries(labels).map(([label, matches]) => [
          label,
          Object.entries(counts).reduce((sum, [name, count]) => (matches(name) ? sum + count : sum), 0) /
            Math.max(seconds, 1),
        ]),
      ),
    Object.keys(labels),
  )
