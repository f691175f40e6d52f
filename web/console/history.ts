import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { request } from "../shared/request.ts"
import type { Sample } from "./shapes.ts"
import { headersWith, token } from "./token.ts"

const hourMillis = 3_600_000
const everyMillis = 10_000

/** Samples of the last hour. Older ones are dropped, so that a page left open does not grow. */
export const samples = signal<ReadonlyArray<Sample>>([])

/** Adds newer samples and drops those that are older than an hour. */
export const merged = (known: ReadonlyArray<Sample>, newer: ReadonlyArray<Sample>): ReadonlyArray<Sample> => {
  const all = [...known, ...newer]
  const from = (all.at(-1)?.at ?? 0) - hourMillis
  return all.filter(({ at }) => at > from)
}

/** Follows what the processes measure, asking only for what is new. */
export const useHistory = () => {
  useEffect(() => {
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    samples.value = []
    const load = async () => {
      try {
        const after = samples.value.at(-1)?.at ?? 0
        const { samples: newer } = await request<{ readonly samples: ReadonlyArray<Sample> }>(
          `/ops/v1/history?after=${after}`,
          { headers: headersWith(token.value), signal: abort.signal },
        )
        if (newer.length > 0) samples.value = merged(samples.value, newer)
      } catch {
        // The views say that the service is away; the next round tries again.
      }
      if (!abort.signal.aborted) timer = setTimeout(() => void load(), everyMillis)
    }
    void load()
    return () => {
      abort.abort()
      clearTimeout(timer)
    }
  }, [])
}

const bucketMillis = 10_000
const colours = ["primary", "up", "caution", "down"] as const

export interface Series {
  readonly xs: ReadonlyArray<number>
  readonly lines: ReadonlyArray<{
    readonly label: string
    readonly values: ReadonlyArray<number | null>
    readonly colour: (typeof colours)[number]
  }>
}

/** One line per name over shared moments. `add` tells how samples of one moment combine: most are rates, which add up. */
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
  // Four colours can be told apart; the largest lines matter most.
  const shown = names ?? [...sums].sort(([, a], [, b]) => b - a).map(([name]) => name)
  const lines = shown.slice(0, colours.length).map((label, i) => ({
    label,
    values: xs.map((at) => moments.get(at)?.[label] ?? (names === undefined ? null : 0)),
    colour: colours[i] ?? ("primary" as const),
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
