export const dayMillis = 86_400_000

/** What is encoded, kept and numbered by revisions as one. A day is a whole number of them. */
export const segmentMillis = 600_000

/** Ticks come late by this at most as a rule; what is newer changes too often to be kept. */
const marginMillis = 300_000

export const segmentIndex = (at: number): number => Math.floor(at / segmentMillis)
export const segmentStart = (stretch: number): number => stretch * segmentMillis
export const dayOfSegment = (stretch: number): number => Math.floor(segmentStart(stretch) / dayMillis)

/** The first and last stretch that ticks still come for, when the newest is of this moment. */
export const openSegments = (newest: number): { readonly first: number; readonly last: number } => ({
  first: segmentIndex(newest - marginMillis),
  last: segmentIndex(newest),
})

/** Stretches of one query: fine enough that two queries share a day, coarse enough that each is worth its way. */
const perQuery = 12

/** What one query loads each: no stretch left out in between, and all of one day. In ascending order, as given. */
export const runsOf = <A extends { readonly stretch: number }>(
  wanted: ReadonlyArray<A>,
): ReadonlyArray<ReadonlyArray<A>> => {
  const runs: Array<Array<A>> = []
  for (const each of wanted) {
    const run = runs.at(-1)
    const isNext = run?.at(-1)?.stretch === each.stretch - 1
    if (run !== undefined && isNext && each.stretch % perQuery !== 0) run.push(each)
    else runs.push([each])
  }
  return runs
}
