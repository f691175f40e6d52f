import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { confirmationsOf } from "../confirmationLevels.ts"
import { type PollerName, pollers, WebhooksDeliver } from "../contracts.ts"
import { type ConfirmationLevel, confirmationLevels } from "../model.ts"
import { webhooksBatch, webhooksConfirmations } from "../settings.ts"
import { holdRevision } from "../subscriptions/revision.ts"
import * as CursorStore from "./CursorStore.ts"
import { logAt, type Page } from "./confirmed.ts"
import { pollerMetrics } from "./metrics.ts"
import type { Poller, Step, Watchers } from "./model.ts"
import { writeDeliveries } from "./Outbox.ts"
import { pollersAt } from "./pollers.ts"
import { type CachedWatchers, watcherCache } from "./WatcherCache.ts"

/** Finds events for webhooks. */
export class Polling extends Context.Service<
  Polling,
  {
    /** Processes new log entries for one poller and writes the deliveries. Safe to repeat and to run concurrently. */
    readonly tick: (poller: PollerName) => Effect.Effect<void, TxError>
  }
>()("presage/webhooks/Polling") {
  static readonly layer = Layer.suspend(() => Layer.effect(Polling, make))
}

/** Deliveries in one transaction; a page with more is split. */
const maxDeliveries = 10_000
/** Attempts while webhooks keep changing, before the poller blocks the changes. */
const maxRounds = 3
const enqueueBatch = 1_000

/** The part of a page that is committed in one transaction, and its step. */
interface EvaluatedPage<T> {
  readonly page: Page<T>
  readonly step: Step
}

interface PollerTick {
  readonly name: PollerName
  /** Processes new log entries until none are left. */
  readonly tick: Effect.Effect<void, TxError>
}

/** Makes the tick of a poller at a level. */
const makeLeveledPolling = Effect.gen(function* () {
  const { sql, reads, tx } = yield* Postgres
  const log = yield* EventLog
  const config = yield* Configuration
  const jobs = yield* Jobs
  const logs = {
    included: yield* logAt("included"),
    confirmed: yield* logAt("confirmed"),
    finalized: yield* logAt("finalized"),
  } as const satisfies Readonly<Record<ConfirmationLevel, unknown>>
  const context = yield* Effect.context<never>()

  // If Redis is unavailable, the sweep enqueues them later.
  const enqueue = Effect.fnUntraced(
    function* (ids: ReadonlyArray<bigint>) {
      for (let from = 0; from < ids.length; from += enqueueBatch) {
        const some = ids.slice(from, from + enqueueBatch)
        yield* jobs.enqueueAll(
          WebhooksDeliver,
          some.map((id) => ({ delivery: String(id), attempt: 1 })),
        )
      }
    },
    Effect.catch((error) => Effect.logWarning(`failed to enqueue deliveries; the sweep retries: ${error.message}`)),
  )

  return Effect.fnUntraced(function* <T>(poller: Poller<T>, level: ConfirmationLevel) {
    const { type } = pollers[poller.name]
    const leveled: CursorStore.LeveledPoller = { poller: poller.name, level }
    const { horizon, reader, firstHalf } = logs[level]
    const read = reader(poller.renderers)
    const refresh = yield* watcherCache(type, level)
    const metrics = pollerMetrics(CursorStore.cursorName(leveled), context)

    const loadCursor = Effect.fnUntraced(function* (head: bigint, now: number) {
      const cursor = yield* CursorStore.find(reads, leveled)
      return cursor ?? (yield* tx(CursorStore.start(sql, leveled, head, now)))
    })

    const pageAfter = Effect.fnUntraced(function* ({ seq, block }: CursorStore.PollerCursor, hasWatchers: boolean) {
      if (hasWatchers) return yield* read({ after: seq, limit: config.get(webhooksBatch), before: block })
      const head = yield* log.head
      const page: Page<T> = { entries: [], horizon: yield* horizon, upTo: head > seq ? head : seq, hasMore: false }
      return page
    })

    const idle: Step = { deliveries: [], save: poller.idle ?? Effect.void }

    /** Halves the page until its deliveries fit into one transaction. */
    const stepOver = Effect.fnUntraced(function* (whole: Page<T>, watchers: Watchers, before: number) {
      let page = whole
      for (;;) {
        const step = yield* poller.step({ entries: page.entries, horizon: page.horizon, watchers })
        if (step.deliveries.length <= maxDeliveries || page.entries.length <= 1)
          return { page, step } satisfies EvaluatedPage<T>
        page = yield* firstHalf(page, before)
      }
    })

    const evaluate = (whole: Page<T>, { watchers }: CachedWatchers, before: number) =>
      watchers.size > 0 ? stepOver(whole, watchers, before) : Effect.succeed({ page: whole, step: idle })

    /** Commits everything, or nothing if another process has moved the cursor. */
    const commit = Effect.fnUntraced(function* (from: CursorStore.PollerCursor, { page, step }: EvaluatedPage<T>) {
      const now = yield* Clock.currentTimeMillis
      const to = { seq: page.upTo, block: Math.max(from.block, page.horizon.block) }
      const confirmations = confirmationsOf(level, config.get(webhooksConfirmations))
      if (!(yield* CursorStore.move(sql, leveled, from, to, now))) return "overtaken" as const
      const written = yield* writeDeliveries(sql, { type, now, confirmations }, step.deliveries)
      yield* step.save
      return { page, written }
    })

    /** Commits nothing if webhooks have changed since they were read. */
    const attempt = Effect.fnUntraced(function* (
      from: CursorStore.PollerCursor,
      whole: Page<T>,
      cached: CachedWatchers,
    ) {
      const evaluated = yield* evaluate(whole, cached, from.block)
      return yield* Effect.gen(function* () {
        if ((yield* holdRevision(sql)) !== cached.revision) return "outdated" as const
        return yield* commit(from, evaluated)
      }).pipe(tx)
    })

    /** Blocks changes of webhooks meanwhile. Reads use other connections, but everything that they need is committed. */
    const attemptLocked = (from: CursorStore.PollerCursor, whole: Page<T>, hasWatchers: boolean) =>
      Effect.gen(function* () {
        yield* holdRevision(sql)
        const cached = yield* refresh
        if (cached.watchers.size > 0 !== hasWatchers) return "outdated" as const
        return yield* commit(from, yield* evaluate(whole, cached, from.block))
      }).pipe(tx)

    /** Few webhooks have another level than most: without any, nothing is read or written in every tick. */
    const rest = Effect.fnUntraced(function* ({ revision }: CachedWatchers) {
      if ((yield* CursorStore.find(reads, leveled)) === undefined) return
      yield* Effect.gen(function* () {
        if ((yield* holdRevision(sql)) !== revision) return
        yield* CursorStore.remove(sql, leveled)
        yield* idle.save
      }).pipe(tx)
    })

    /** Processes one page; true if another one follows. */
    const pollPage = Effect.gen(function* () {
      let cached = yield* refresh
      if (level !== "confirmed" && cached.watchers.size === 0) {
        yield* rest(cached)
        return false
      }
      const from = yield* loadCursor(yield* log.head, yield* Clock.currentTimeMillis)
      const hasWatchers = cached.watchers.size > 0
      const whole = yield* pageAfter(from, hasWatchers)
      if (whole.entries.length === 0 && whole.upTo === from.seq && whole.horizon.block <= from.block) return false
      for (let round = 1; cached.watchers.size > 0 === hasWatchers; round++) {
        const isLast = round === maxRounds
        const result = yield* isLast ? attemptLocked(from, whole, hasWatchers) : attempt(from, whole, cached)
        if (result === "overtaken") return false
        if (result !== "outdated") {
          const { page, written } = result
          metrics.read(page.entries.length)
          metrics.wrote(written)
          metrics.reached(page.upTo, yield* log.head)
          yield* enqueue(written.pending)
          return page.hasMore
        }
        if (isLast) return true
        cached = yield* refresh
      }
      return true
    })

    // Every tick updates the cached webhooks in place, so ticks must not overlap.
    const lock = yield* Semaphore.make(1)
    const tick = lock.withPermit(Effect.asVoid(Effect.repeat(pollPage, { while: (hasMore) => hasMore })))
    return { name: poller.name, tick } satisfies PollerTick
  })
})

/** Makes the tick of a poller of confirmed facts. */
export const makePolling = Effect.map(
  makeLeveledPolling,
  (polling) =>
    <T>(poller: Poller<T>) =>
      polling(poller, "confirmed"),
)

const make = Effect.gen(function* () {
  const polling = yield* makeLeveledPolling
  const polled = yield* Effect.forEach(confirmationLevels, (level) =>
    pollersAt(level, (poller) => polling(poller, level)),
  )
  const ticks = Map.groupBy(polled.flat(), ({ name }) => name)
  return Polling.of({
    tick: Effect.fn("Polling.tick")((poller) =>
      Effect.forEach(ticks.get(poller) ?? [], ({ tick }) => tick, { discard: true }),
    ),
  })
})
