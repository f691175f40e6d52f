import { Clock, Effect, Queue, Schedule, Stream } from "effect"
import { coins, type TickRange, type Tick, type TickSource } from "#src/domain/Tick.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { retryTransient } from "#src/platform/sql/sqlFailure.ts"
import { makePublisher } from "./publisher.ts"
import { maxBehindMillis, RecentTicks } from "./RecentTicks.ts"
import { tickMetrics } from "./TickMetrics.ts"
import { type Recording, TickStore } from "./TickStore.ts"

const batch = { most: 500, within: "100 millis" } as const

/** Recordings that wait while Postgres is away: an hour of a source. Beyond it the source is asked again later. */
const mostWaiting = 30_000

/** Longer than a restart of Postgres takes. What is lost after that comes from the source's history. */
const storePatience = "5 minutes"

/** What is done with the ticks of one source once they are here: judged, published, kept. */
export const makeIntake = Effect.fnUntraced(function* (source: TickSource, lease: Lease) {
  const store = yield* TickStore
  const clock = yield* Clock.Clock
  const metrics = tickMetrics(source, yield* Effect.context<never>())
  const publish = yield* makePublisher(source, metrics)
  const recent = new RecentTicks()
  const waiting = yield* Queue.dropping<Recording>(mostWaiting)
  const startedAt = clock.currentTimeMillisUnsafe()
  for (const coin of coins) {
    const known = yield* store.read(source, coin, startedAt - maxBehindMillis, startedAt + maxBehindMillis)
    for (const tick of known) recent.remember(tick)
  }
  let usefulAt = clock.monotonicTimeNanosUnsafe()
  let accepted = 0

  const keep = (recording: Recording) =>
    Effect.map(retryTransient(storePatience)(store.record(lease, source, recording)), (recorded) => {
      for (const { coin, from, to } of recorded.gaps) metrics.gap(coin, to - from)
      return recorded
    })

  const enqueue = (recording: Recording) =>
    Queue.offerUnsafe(waiting, recording)
      ? Effect.void
      : Effect.die(new Error("more ticks are waiting for the database than may be held"))

  const quarantine = (reason: string, ticks: ReadonlyArray<Tick>) => {
    metrics.quarantined(reason, ticks.length)
    const first = ticks[0]
    return first === undefined
      ? Effect.void
      : Effect.logWarning(
          `${source}: ${ticks.length} ticks put aside (${reason}), the first of ${first.coin} at ${new Date(first.at).toISOString()}`,
        )
  }

  return {
    recent,
    metrics,
    quarantine,
    keep,
    enqueue,
    /** Nanoseconds since something came that could be used. */
    unusedFor: () => clock.monotonicTimeNanosUnsafe() - usefulAt,
    /** A new connection has its own time to prove itself. */
    connecting: () => {
      usefulAt = clock.monotonicTimeNanosUnsafe()
      return accepted
    },
    /** How many live ticks have been taken so far. */
    accepted: () => accepted,

    /** Ticks just said by the source. */
    live: (ticks: ReadonlyArray<Tick>) =>
      Effect.gen(function* () {
        const now = clock.currentTimeMillisUnsafe()
        const fresh: Array<Tick> = []
        const doubtful = new Map<string, Array<Tick>>()
        for (const tick of ticks) {
          const verdict = recent.judge(tick, now)
          if (verdict === "duplicate") metrics.duplicate(tick.coin)
          else if (verdict !== "new") doubtful.set(verdict, [...(doubtful.get(verdict) ?? []), tick])
          else {
            recent.remember(tick)
            metrics.received(tick.coin)
            fresh.push(tick)
          }
        }
        if (fresh.length > 0) {
          usefulAt = clock.monotonicTimeNanosUnsafe()
          accepted += fresh.length
          yield* enqueue({ ticks: fresh.map((tick) => ({ ...tick, receivedAt: now })), settled: [] })
          yield* publish(fresh)
        }
        for (const [reason, aside] of doubtful) yield* quarantine(reason, aside)
      }),

    /** Ticks of a history or snapshot: those that are recent may still be news to live readers. */
    late: (ticks: ReadonlyArray<Tick>) =>
      Effect.gen(function* () {
        const now = clock.currentTimeMillisUnsafe()
        const fresh = ticks.filter(
          (tick) => tick.at >= now - maxBehindMillis && recent.judge(tick, now) !== "duplicate",
        )
        for (const tick of fresh) recent.remember(tick)
        if (fresh.length > 0) yield* publish(fresh)
      }),

    /** Writes what is waiting, for ever. */
    write: Stream.fromQueue(waiting).pipe(
      Stream.groupedWithin(batch.most, batch.within),
      Stream.runForEach((recordings) =>
        keep({
          ticks: recordings.flatMap(({ ticks }) => ticks),
          settled: recordings.flatMap(({ settled }): ReadonlyArray<TickRange> => settled),
        }),
      ),
    ),

    /** Keeps the ages in the metrics right, for ever. */
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
