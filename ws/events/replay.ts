import { Clock, Effect } from "effect"
import { allowances, type Plan } from "#src/domain/Plan.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import type { Resume } from "#src/streams/protocol/client.ts"
import { BackwardSearch } from "./BackwardSearch.ts"
import type { RecentEntries } from "./RecentEntries.ts"
import type { KeyedFilter } from "./SubscriberIndex.ts"

/** Where a subscription starts in the log, and the fields of its acknowledgement about that. */
export interface ReplayStart {
  /** Undefined: live events only. */
  readonly cursor: number | undefined
  /** Finds the events that are sent first. */
  readonly search?: BackwardSearch
  readonly ackFields: Readonly<Record<string, unknown>>
}

interface ReplayRequest {
  readonly plan: Plan
  readonly filter: KeyedFilter
  readonly resume: Resume | undefined
  readonly since: number | undefined
  readonly snapshotCount: number | undefined
}

const liveOnly: ReplayStart = { cursor: undefined, ackFields: {} }

/** Finds where in the log a subscription starts, as far back as its plan allows. */
export const makeReplayStarts = Effect.fnUntraced(function* (recent: RecentEntries, isDelayed: boolean) {
  const log = yield* EventLog

  // Plans allow to go back from the newest event that was sent, however long that one had to wait.
  const newest = Effect.map(Clock.currentTimeMillis, (now) => (isDelayed ? Math.min(now, recent.newestAt) : now))

  const since = Effect.fnUntraced(function* (plan: Plan, requested: number) {
    const earliest = (yield* newest) - allowances[plan].sinceSeconds * 1000
    const granted = Math.max(requested, earliest)
    const cursor =
      recent.recordedBefore(granted) ?? Math.min(recent.position, Number(yield* log.recordedBefore(granted)))
    const replay = { mode: "since", requested, granted, clamped: granted > requested }
    return { cursor, ackFields: { replay } } satisfies ReplayStart
  })

  const snapshot = ({ plan, filter }: ReplayRequest, requested: number): ReplayStart => {
    const granted = Math.min(requested, allowances[plan].snapshotCount)
    const replay = { mode: "snapshot_count", requested, granted, clamped: granted < requested }
    return { cursor: recent.position, search: new BackwardSearch(filter, granted, recent), ackFields: { replay } }
  }

  const resume = Effect.fnUntraced(function* (plan: Plan, epoch: string | undefined, seq: number) {
    const lost = (reason: string, missed?: Readonly<Record<string, unknown>>): ReplayStart => ({
      ...liveOnly,
      ackFields: { recovered: false, reason, ...(missed === undefined ? {} : { missed }) },
    })
    if (epoch !== undefined && epoch !== log.identity)
      return lost("the event log was recreated since then, so missed events cannot be identified")
    if (seq > recent.position && seq > Number(yield* log.head)) return lost("this seq does not exist yet")
    const earliest = (yield* newest) - allowances[plan].sinceSeconds * 1000
    const [next] = seq >= recent.floor ? recent.after(seq, 1) : yield* log.read({ after: BigInt(seq), limit: 1 })
    const at = next === undefined ? undefined : "at" in next ? next.at : next.recordedAt
    if (at !== undefined && at < earliest) {
      const until = recent.position
      return lost(`the missed events are older than the ${allowances[plan].sinceSeconds} s of replay in your plan`, {
        after: seq,
        until,
        fetch: `/v1/events?after=${seq}`,
      })
    }
    return {
      cursor: seq,
      ackFields: { recovered: true, replay: { mode: "resume", requested: seq, granted: seq, clamped: false } },
    } satisfies ReplayStart
  })

  return (request: ReplayRequest) => {
    const { plan, resume: last } = request
    if (last?.seq !== undefined) return resume(plan, last.epoch, last.seq)
    if (request.since !== undefined) return since(plan, request.since)
    if (request.snapshotCount !== undefined) return Effect.sync(() => snapshot(request, request.snapshotCount ?? 0))
    return Effect.succeed(liveOnly)
  }
})
