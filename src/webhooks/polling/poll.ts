import { Clock, Effect, Semaphore } from "effect"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { type PollerName, pollers, WebhooksDeliver } from "../contracts.ts"
import { webhooksBatch } from "../settings.ts"
import { holdRevision } from "../subscriptions/revision.ts"
import { cursorStore, type PollerCursor } from "./CursorStore.ts"
import { believed, type Page } from "./confirmed.ts"
import { pollerMetrics } from "./metrics.ts"
import type { Poller, Step, Watchers } from "./model.ts"
import { writeOwed } from "./Outbox.ts"
import { type KnownWatchers, watcherCache } from "./WatcherCache.ts"

/** Deliveries in one transaction; a page that owes more is cut into smaller ones. */
const mostOwed = 10_000
/** How often webhooks may be changed under a poller before it makes those who change them wait. */
const mostRounds = 3
/** Deliveries that are put on their way at a time. */
const mostEnqueued = 1_000

/** As much of a page as fits into one transaction, and what comes of it. */
interface Worked<T> {
  readonly page: Page<T>
  readonly step: Step
}

/** A poller that can be asked to look. */
export interface Polled {
  readonly name: PollerName
  /** Looks for what is new and writes what is owed to whom, until nothing is left. */
  readonly tick: Effect.Effect<void, TxError>
}

/** Gives each poller its tick. */
export const polling = Effect.gen(function* () {
  const postgres = yield* Postgres
  const { sql, tx } = postgres
  const log = yield* EventLog
  const config = yield* Configuration
  const jobs = yield* Jobs
  const { horizon, reader, halved } = yield* believed
  const context = yield* Effect.context<never>()

  // What Redis does not take now, the sweep finds later.
  const enqueue = Effect.fnUntraced(
    function* (ids: ReadonlyArray<bigint>) {
      for (let from = 0; from < ids.length; from += mostEnqueued) {
        const some = ids.slice(from, from + mostEnqueued)
        yield* jobs.enqueueAll(
          WebhooksDeliver,
          some.map((id) => ({ delivery: String(id), attempt: 1 })),
        )
      }
    },
    Effect.catch((error) => Effect.logWarning(`deliveries wait for the sweep: ${error.message}`)),
  )

  return Effect.fnUntraced(function* <T>(poller: Poller<T>) {
    const { type } = pollers[poller.name]
    const cursors = cursorStore(postgres, poller.name)
    const read = reader(poller.tellers)
    const refresh = yield* watcherCache(type)
    const metrics = pollerMetrics(poller.name, context)

    const pageAfter = Effect.fnUntraced(function* ({ seq, block }: PollerCursor, isAsked: boolean) {
      if (isAsked) return yield* read({ after: seq, limit: config.get(webhooksBatch), before: block })
      const head = yield* log.head
      const page: Page<T> = { entries: [], horizon: yield* horizon, upTo: head > seq ? head : seq, hasMore: false }
      return page
    })

    const idle: Step = { owed: [], save: poller.idle ?? Effect.void }

    /** With as much of the page as fits into one transaction. */
    const stepOver = Effect.fnUntraced(function* (whole: Page<T>, watchers: Watchers, before: number) {
      let page = whole
      for (;;) {
        const step = yield* poller.step({ entries: page.entries, horizon: page.horizon, watchers })
        if (step.owed.length <= mostOwed || page.entries.length <= 1) return { page, step } satisfies Worked<T>
        page = yield* halved(page, before)
      }
    })

    const workOut = (whole: Page<T>, { watchers }: KnownWatchers, before: number) =>
      watchers.size > 0 ? stepOver(whole, watchers, before) : Effect.succeed({ page: whole, step: idle })

    /** Everything or nothing, and nothing where the cursor is not the one that it was worked out with. */
    const put = Effect.fnUntraced(function* (from: PollerCursor, { page, step: { owed, save } }: Worked<T>) {
      const now = yield* Clock.currentTimeMillis
      const to = { seq: page.upTo, block: Math.max(from.block, page.horizon.block) }
      if (!(yield* cursors.move(from, to, now))) return "overtaken" as const
      const written = yield* writeOwed(sql, type, owed, now)
      yield* save
      return { page, written }
    })

    /** Nothing either where the webhooks are not those that it was worked out with. */
    const attempt = Effect.fnUntraced(function* (from: PollerCursor, whole: Page<T>, known: KnownWatchers) {
      const worked = yield* workOut(whole, known, from.block)
      return yield* Effect.gen(function* () {
        if ((yield* holdRevision(sql)) !== known.revision) return "outdated" as const
        return yield* put(from, worked)
      }).pipe(tx)
    })

    /** While nobody can change webhooks. What it reads comes over other connections, but all of it is there by then. */
    const insist = (from: PollerCursor, whole: Page<T>, isAsked: boolean) =>
      Effect.gen(function* () {
        yield* holdRevision(sql)
        const known = yield* refresh
        if (known.watchers.size > 0 !== isAsked) return "outdated" as const
        return yield* put(from, yield* workOut(whole, known, from.block))
      }).pipe(tx)

    /** One page; whether another one follows. */
    const turn = Effect.gen(function* () {
      const from = yield* cursors.load(yield* log.head, yield* Clock.currentTimeMillis)
      let known = yield* refresh
      const isAsked = known.watchers.size > 0
      const whole = yield* pageAfter(from, isAsked)
      if (whole.entries.length === 0 && whole.upTo === from.seq && whole.horizon.block <= from.block) return false
      for (let round = 1; known.watchers.size > 0 === isAsked; round++) {
        const isLast = round === mostRounds
        const outcome = yield* isLast ? insist(from, whole, isAsked) : attempt(from, whole, known)
        if (outcome === "overtaken") return false
        if (outcome !== "outdated") {
          const { page, written } = outcome
          metrics.read(page.entries.length)
          metrics.wrote(written)
          metrics.reached(page.upTo, yield* log.head)
          yield* enqueue(written.pending)
          return page.hasMore
        }
        if (isLast) return true
        known = yield* refresh
      }
      return true
    })

    // The webhooks in memory are changed by whoever looks, so never two at a time.
    const alone = yield* Semaphore.make(1)
    const tick = alone.withPermit(Effect.asVoid(Effect.repeat(turn, { while: (hasMore) => hasMore })))
    return { name: poller.name, tick } satisfies Polled
  })
})
