import { dayNumber } from "#src/domain/time.ts"

/** Length of a segment, the unit of encoding, caching and revisions. A day is a whole number of segments. */
export const segmentMillis = 600_000

export const segmentSeconds = segmentMillis / 1000

/** Usual maximum delay of late ticks; newer segments change too often to be cached. */
const marginMillis = 300_000

export const segmentIndex = (at: number): number => Math.floor(at / segmentMillis)
export const segmentStart = (index: number): number => index * segmentMillis
export const segmentSecond = (index: number): number => index * segmentSeconds
export const dayOfSegment = (index: number): number => dayNumber(segmentStart(index))

/** First and last segment that still receive ticks, given the time of the newest one. */
export const openSegments = (newest: number): { readonly first: number; readonly last: number } => ({
  first: segmentIndex(newest - marginMillis),
  last: segmentIndex(newest),
})

/** Segments per query: few enough that two queries share a day, enough that each is worth its round trip. */
const segmentsPerQuery = 12

/** Groups segments in ascending order into queries: each group is consecutive and within a day. */
export const runsOf = <A extends { readonly index: number }>(
  refs: ReadonlyArray<A>,
): ReadonlyArray<ReadonlyArray<A>> => {
  const runs: Array<Array<A>> = []
  for (const each of refs) {
    const run = runs.at(-1)
    const isNext = run?.at(-1)?.index === each.index - 1
    if (run !== undefined && isNext && each.index % segmentsPerQuery !== 0) run.push(each)
    else runs.push([each])
  }
  return runs
}
