import { Clock, Effect } from "effect"
import type { Plan } from "#src/domain/Plan.ts"
import { allowances } from "#src/domain/Plan.ts"
import { matches } from "#src/feed/Filter.ts"
import type { FeedMessage } from "#src/feed/model.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import type { Resume } from "#src/streams/protocol/client.ts"
import type { Wish } from "./Audiences.ts"
import { type Pages, pageSpan } from "./Pages.ts"
import type { Ring } from "./Ring.ts"

/** Pages of the log that are looked through for the last so many of something rare. */
const mostPagesBack = 20

/** Where a subscription begins to hear, and what its acknowledgement says about that. */
export interface Beginning {
  /** Undefined: with whatever comes next. */
  readonly cursor: number | undefined
  readonly first: ReadonlyArray<FeedMessage>
  readonly told: Readonly<Record<string, unknown>>
}

export interface Asked {
  readonly plan: Plan
  readonly wish: Wish
  readonly resume: Resume | undefined
  readonly since: number | undefined
  readonly snapshotCount: number | undefined
}

const live: Beginning = { cursor: undefined, first: [], told: {} }

/** Finds where in the log a subscription begins, as far back as its plan allows. */
export const makeBeginnings = Effect.fnUntraced(function* (ring: Ring, pages: Pages) {
  const log = yield* EventLog

  const since = Effect.fnUntraced(function* (plan: Plan, requested: number) {
    const earliest = (yield* Clock.currentTimeMillis) - allowances[plan].sinceSeconds * 1000
    const granted = Math.max(requested, earliest)
    const cursor = ring.recordedBefore(granted) ?? Math.min(ring.position, Number(yield* log.recordedBefore(granted)))
    const replay = { mode: "since", requested, granted, clamped: granted > requested }
    return { cursor, first: [], told: { replay } } satisfies Beginning
  })

  const newest = Effect.fnUntraced(function* ({ filter }: Wish, count: number, until: number) {
    const found: Array<FeedMessage> = []
    const take = (messages: ReadonlyArray<FeedMessage>) => {
      for (let place = messages.length - 1; place >= 0 && found.length < count; place--) {
        const message = messages[place] as FeedMessage
        if (message.seq <= until && matches(filter, message)) found.push(message)
      }
    }
    const { floor } = ring
    for (const { messages } of ring.backwards()) {
      if (found.length >= count) break
      take(messages)
    }
    const lastPage = Math.floor((floor - 1) / pageSpan)
    for (let back = 0; back < mostPagesBack && lastPage - back >= 0 && found.length < count; back++) {
      for (const { seq, messages } of (yield* pages(lastPage - back, floor)).toReversed())
        if (seq <= floor) take(messages)
    }
    return found.reverse()
  })

  const snapshot = Effect.fnUntraced(function* ({ plan, wish }: Asked, requested: number) {
    const granted = Math.min(requested, allowances[plan].snapshotCount)
    const replay = { mode: "snapshot_count", requested, granted, clamped: granted < requested }
    const cursor = ring.position
    // An acknowledgement comes first, but what follows it is looked for before: so it is known what to say.
    const first = granted === 0 ? [] : yield* newest(wish, granted, cursor)
    return { cursor, first, told: { replay } } satisfies Beginning
  })

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
      first: [],
      told: { recovered: true, replay: { mode: "resume", requested: seq, granted: seq, clamped: false } },
    } satisfies Beginning
  })

  return (asked: Asked) => {
    const { plan, resume: last } = asked
    if (last?.seq !== undefined) return resume(plan, last.epoch, last.seq)
    if (asked.since !== undefined) return since(plan, asked.since)
    if (asked.snapshotCount !== undefined) return snapshot(asked, asked.snapshotCount)
    return Effect.succeed(live)
  }
})
