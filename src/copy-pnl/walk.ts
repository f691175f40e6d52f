import { Clock, Duration, Effect, Option } from "effect"
import { CopyPnl, type CopyScore, type FactColumns, type FactKind } from "./copyPnl.ts"
import type { TimeRange } from "./historyPages.ts"
import { TimedOut } from "./model.ts"

export interface WalkOptions {
  /** The inclusive end of all windows. */
  readonly until: number
  /** Exclusive starts of the windows, descending. */
  readonly afters: ReadonlyArray<number>
  /** Facts per page; a shorter page is the last. */
  readonly size: number
  readonly time: Duration.Duration
}

export interface WalkResult {
  /** In the order of the windows. */
  readonly scores: ReadonlyArray<CopyScore & { readonly partial: boolean }>
  readonly counts: Readonly<Record<FactKind, number>>
}

const oldestIn = ({ at, count }: FactColumns): number => {
  let oldest = Number.POSITIVE_INFINITY
  for (let i = 0; i < count; i++) oldest = Math.min(oldest, at[i] as number)
  return oldest
}

/**
 * Walks from the newest fact, so that short windows are complete first. At the time limit, incomplete windows are partial;
 * if no page was read by then, there is no score.
 */
export const walk = Effect.fnUntraced(function* <E>(
  read: (range: TimeRange) => Effect.Effect<FactColumns, E>,
  { until, afters, size, time }: WalkOptions,
) {
  const score = new CopyPnl(until, afters)
  const after = Math.min(...afters)
  const ends = (yield* Clock.currentTimeMillis) + Duration.toMillis(time)
  let reached = Number.POSITIVE_INFINITY
  while (reached > after) {
    const left = ends - (yield* Clock.currentTimeMillis)
    // Everything before this time is unread.
    const before = Math.min(reached, until + 1)
    const page = left <= 0 ? Option.none() : yield* Effect.timeoutOption(read({ after, before }), left)
    if (Option.isNone(page)) break
    score.add(page.value)
    reached = page.value.count < size ? after : oldestIn(page.value)
  }
  if (reached === Number.POSITIVE_INFINITY) return yield* new TimedOut({ seconds: Duration.toSeconds(time) })
  const scores = score.scores().map((each, i) => ({ ...each, partial: reached > (afters[i] as number) }))
  return { scores, counts: score.counts() } satisfies WalkResult
})
