import { Clock, Duration, Effect, Option } from "effect"
import type { Facts } from "./copyPnl.ts"
import { CopyPnl, type CopyScore, type FactKind } from "./copyPnl.ts"
import type { Stretch } from "./historyPages.ts"
import { TimedOut } from "./model.ts"

export interface WalkOptions {
  /** The end of all windows, which belongs to them. */
  readonly until: number
  /** Where windows begin, each after its own; falling. */
  readonly afters: ReadonlyArray<number>
  /** Facts of a page: one that has fewer is the last. */
  readonly size: number
  readonly time: Duration.Duration
}

export interface Walked {
  /** In the order of the windows. */
  readonly scores: ReadonlyArray<CopyScore & { readonly partial: boolean }>
  readonly counts: Readonly<Record<FactKind, number>>
}

const oldestIn = ({ at, count }: Facts): number => {
  let oldest = Number.POSITIVE_INFINITY
  for (let i = 0; i < count; i++) oldest = Math.min(oldest, at[i] as number)
  return oldest
}

/**
 * From the newest fact on, so that short windows are complete first. When the time is over, windows that are not complete
 * are partial; when nothing was read by then, there is no score at all.
 */
export const walk = Effect.fnUntraced(function* <E>(
  read: (stretch: Stretch) => Effect.Effect<Facts, E>,
  { until, afters, size, time }: WalkOptions,
) {
  const score = new CopyPnl(until, afters)
  const after = Math.min(...afters)
  const ends = (yield* Clock.currentTimeMillis) + Duration.toMillis(time)
  let reached = Number.POSITIVE_INFINITY
  while (reached > after) {
    const left = ends - (yield* Clock.currentTimeMillis)
    // Everything from here on is still to be read.
    const before = Math.min(reached, until + 1)
    const page = left <= 0 ? Option.none() : yield* Effect.timeoutOption(read({ after, before }), left)
    if (Option.isNone(page)) break
    score.add(page.value)
    reached = page.value.count < size ? after : oldestIn(page.value)
  }
  if (reached === Number.POSITIVE_INFINITY) return yield* new TimedOut({ seconds: Duration.toSeconds(time) })
  const scores = score.scores().map((each, i) => ({ ...each, partial: reached > (afters[i] as number) }))
  return { scores, counts: score.counts() } satisfies Walked
})
