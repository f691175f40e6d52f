import { Clock, Effect } from "effect"
import { allowances, type Plan } from "#src/domain/Plan.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import type { Resume } from "#src/streams/protocol/client.ts"
import type { Wish } from "./Audiences.ts"
import type { Ring } from "./Ring.ts"
import { Search } from "./Search.ts"

/** Where a subscription begins to hear, and what its acknowledgement says about that. */
export interface Beginning {
  /** Undefined: with whatever comes next. */
  readonly cursor: number | undefined
  /** What is sent before that. */
  readonly search?: Search
  readonly told: Readonly<Record<string, unknown>>
}

export interface Asked {
  readonly plan: Plan
  readonly wish: Wish
  readonly resume: Resume | undefined
  readonly since: number | undefined
  readonly snapshotCount: number | undefined
}

const live: Beginning = { cursor: undefined, told: {} }

/** Finds where in the log a subscription begins, as far back as its plan allows. */
export const makeBeginnings = Effect.fnUntraced(function* (ring: Ring) {
  const log = yield* EventLog

  const since = Effect.fnUntraced(function* (plan: Plan, requested: number) {
    const earliest = (yield* Clock.currentTimeMillis) - allowances[plan].sinceSeconds * 1000
    const granted = Math.max(requested, earliest)
    const cursor = ring.recordedBefore(granted) ?? Math.min(ring.position, Number(yield* log.recordedBefore(granted)))
    const replay = { mode: "since", requested, granted, clamped: granted > requested }
    return { cursor, told: { replay } } satisfies Beginning
  })

  const snapshot = ({ plan, wish }: Asked, requested: number): Beginning => {
    const granted = Math.min(requested, allowances[plan].snapshotCount)
    const replay = { mode: "snapshot_count", requested, granted, clamped: granted < requested }
    return { cursor: ring.position, search: new Search(wish, granted, ring), told: { replay } }
  }

  const resume = Effect.fnUntraced(function* (plan: Plan, epoch: string | undefined, seq: number) {
    const lost = (reason: string, missed?: Readonly<Record<string, unknown>>): Beginning => ({
      ...live,
      told: { recovered: false, reason, ...(missed === undefined ? {} : { missed }) },
    })
    if (epoch !== undefined && epoch !== log.identity)
      return lost("the log is another one than when you were here: what came before cannot be told from what is new")
    if (seq > ring.position && seq > Number(yield* log.head)) return lost("there is no such seq yet")
    const earliest = (yield* Clock.currentTimeMillis) - allowances[plan].sinceSeconds * 1000
    const [next] = seq >= ring.floor ? ring.after(seq, 1) : yield* log.read({ after: BigInt(seq), limit: 1 })
    const at = next === undefined ? undefined : "at" in next ? next.at : next.recordedAt
    if (at !== undefined && at < earliest) {
      const until = ring.position
      return lost(`what you missed is older than the ${allowances[plan].sinceSeconds} s that your plan goes back`, {
        after: seq,
        until,
        fetch: `/v1/events?after=${seq}`,
      })
    }
    return {
      cursor: seq,
      told: { recovered: true, replay: { mode: "resume", requested: seq, granted: seq, clamped: false } },
    } satisfies Beginning
  })

  return (asked: Asked) => {
    const { plan, resume: last } = asked
    if (last?.seq !== undefined) return resume(plan, last.epoch, last.seq)
    if (asked.since !== undefined) return since(plan, asked.since)
    if (asked.snapshotCount !== undefined) return Effect.sync(() => snapshot(asked, asked.snapshotCount ?? 0))
    return Effect.succeed(live)
  }
})
