import { Clock, Effect, Queue, Schedule, Stream } from "effect"
import { coins, type Tick, type TickRange, type TickSource } from "#src/domain/Tick.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { retryTransient } from "#src/platform/sql/sqlFailure.ts"
import { makePublisher } from "./publisher.ts"
import { maxBehindMillis, RecentTicks } from "./RecentTicks.ts"
import { tickMetrics } from "./TickMetrics.ts"
import { type Recording, TickStore } from "./TickStore.ts"

const batch = { maxSize: 500, maxDelay: "100 millis" } as const

/** Recordings queued while Postgres is unavailable: an hour of a source. Later ones are refilled from the source. */
const maxQueued = 30_000

/** Longer than a restart of Postgres. Ticks lost after that are refilled from the source's history. */
const storeRetryTime = "5 minutes"

/** Checks, publishes and stores the received ticks of one source. */
export const makeIntake = Effect.fnUntraced(function* (source: TickSource, lease: Lease) {
  const store = yield* TickStore
  const clock = yield* Clock.Clock
  const metrics = tickMetrics(source, yield* Effect.context<never>())
  const publish = yield* makePublisher(source, metrics)
  const recent = new RecentTicks()
  const queue = yield* Queue.dropping<Recording>(maxQueued)
  const startedAt = clock.currentTimeMillisUnsafe()
  for (const coin of coins) {
    const known = yield* store.read(source, coin, startedAt - maxBehindMillis, startedAt + maxBehindMillis)
    for (const tick of known) recent.add(tick)
  }
  let lastUsefulAt = clock.monotonicTimeNanosUnsafe()
  let accepted = 0

  const save = (recording: Recording) =>
    Effect.map(retryTransient(storeRetryTime)(store.record(lease, source, recording)), (recorded) => {
      for (const { coin, from, to } of recorded.gaps) metrics.gap(coin, to - from)
      return recorded
    })

  const enqueue = (recording: Recording) =>
    Queue.offerUnsafe(queue, recording)
      ? Effect.void
      : Effect.die(new Error("too many ticks are queued for the database"))

  const quarantine = (reason: string, ticks: ReadonlyArray<Tick>) => {
    metrics.quarantined(reason, ticks.length)
    const first = ticks[0]
    return first === undefined
      ? Effect.void
      : Effect.logWarning(
          `${source}: ${ticks.length} ticks rejected (${reason}), the first for ${first.coin} at ${new Date(first.at).toISOString()}`,
        )
  }

  return {
    recent,
    metrics,
    quarantine,
    save,
    enqueue,
    /** Nanoseconds since the last accepted tick or new connection. */
    idleNanos: () => clock.monotonicTimeNanosUnsafe() - lastUsefulAt,
    /** Restarts the idle time for a new connection; returns the accepted count. */
    onConnecting: () => {
      lastUsefulAt = clock.monotonicTimeNanosUnsafe()
      return accepted
    },
    /** Live ticks accepted so far. */
    accepted: () => accepted,

    /** Handles ticks just received from the source. */
    live: (ticks: ReadonlyArray<Tick>) =>
      Effect.gen(function* () {
        const now = clock.currentTimeMillisUnsafe()
        const fresh: Array<Tick> = []
        const suspect = new Map<string, Array<Tick>>()
        for (const tick of ticks) {
          const check = recent.check(tick, now)
          if (check === "duplicate") metrics.duplicate(tick.coin)
          else if (check !== "new") suspect.set(check, [...(suspect.get(check) ?? []), tick])
          else {
            recent.add(tick)
            metrics.received(tick.coin)
            fresh.push(tick)
          }
        }
        if (fresh.length > 0) {
          lastUsefulAt = clock.monotonicTimeNanosUnsafe()
          accepted += fresh.length
          yield* enqueue({ ticks: fresh.map((tick) => ({ ...tick, receivedAt: now })), settled: [] })
          yield* publish(fresh)
        }
        for (const [reason, rejected] of suspect) yield* quarantine(reason, rejected)
      }),

    /** Publishes those ticks of a history page or snapshot that are recent enough for live readers. */
    publishRecent: (ticks: ReadonlyArray<Tick>) =>
      Effect.gen(function* () {
        const now = clock.currentTimeMillisUnsafe()
        const fresh = ticks.filter(
          (tick) => tick.at >= now - maxBehindMillis && recent.check(tick, now) !== "duplicate",
        )
        for (const tick of fresh) recent.add(tick)
        if (fresh.length > 0) yield* publish(fresh)
      }),

    /** Stores queued recordings, forever. */
    write: Stream.fromQueue(queue).pipe(
      Stream.groupedWithin(batch.maxSize, batch.maxDelay),
      Stream.runForEach((recordings) =>
        save({
          ticks: recordings.flatMap(({ ticks }) => ticks),
          settled: recordings.flatMap(({ settled }): ReadonlyArray<TickRange> => settled),
        }),
      ),
    ),

    /** Updates the age metrics, forever. */
    watchAges: Effect.repeat(
      Effect.sync(() => {
        for (const coin of coins) {
          const newest = recent.newest(coin)
          if (newest !== undefined) metrics.age(coin, (clock.currentTimeMillisUnsafe() - newest) / 1000)
        }
      }),
      Schedule.spaced("1 second"),
    ),
  }
})

export type Intake = Effect.Success<ReturnType<typeof makeIntake>>
