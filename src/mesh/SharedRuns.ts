import { randomUUID } from "node:crypto"
import { Context, Effect, Layer, type Option, Schedule, Schema, type Scope, Stream } from "effect"
import type { Redis, RedisFailure } from "#src/platform/redis/Redis.ts"
import type { StoreUnreachable } from "#src/platform/storeChecks.ts"
import type { RunResult, SharedRun, SharedRunsFull } from "./shared-runs/model.ts"
import { makeNotifications } from "./shared-runs/Notifications.ts"
import { makeSharedRunStore } from "./shared-runs/SharedRunStore.ts"
import { type Joined, type JoinOptions, makeWaiter } from "./shared-runs/waiter.ts"

/** What the worker of a shared run knows and writes. */
export interface RunProgress {
  /** The position that the predecessor stored with its last chunk. */
  readonly position: Option.Option<Schema.Json>
  /** Chunks that the predecessor produced. */
  readonly chunks: number
  /** Sends a chunk to all waiters. Stores it together with the position, so that a successor continues right after it. */
  readonly append: (chunk: Uint8Array, position: Schema.Json) => Effect.Effect<void, RedisFailure | NoWaiters>
}

/** The run has no waiters left, or another worker has taken over. Ends the work without a failure. */
export class NoWaiters extends Schema.TaggedError<NoWaiters>()("Unwanted", {}) {}

/** Heartbeat of waiters, and how often workers check for waiters. */
const renewEvery = "5 seconds"
const checkEvery = "2 seconds"

/**
 * Work that is shared by all callers that wait for it, over Redis: one run at a time per name across all processes. Every
 * caller gets the bytes from the beginning. A run ends when its last waiter leaves, and all its keys expire.
 */
export class SharedRuns extends Context.Service<
  SharedRuns,
  {
    /** Joins the run of this name or starts it; the waiter leaves when the scope closes. */
    readonly join: (
      name: string,
      options: JoinOptions,
    ) => Effect.Effect<Joined, SharedRunsFull | RedisFailure, Scope.Scope>
    /** Does the work of a run while it has waiters; returns whether it was done. */
    readonly run: <E, R>(
      run: SharedRun,
      work: (progress: RunProgress) => Effect.Effect<RunResult, E | NoWaiters, R>,
    ) => Effect.Effect<boolean, E | RedisFailure, R>
    /** Reports a permanent failure to all waiters. */
    readonly fail: (run: SharedRun, reason: string) => Effect.Effect<void, RedisFailure>
    /** Later callers start a new run. */
    readonly discard: (run: SharedRun) => Effect.Effect<void, RedisFailure>
  }
>()("presage/mesh/SharedRuns") {
  static readonly layer: Layer.Layer<SharedRuns, StoreUnreachable, Redis> = Layer.suspend(() =>
    Layer.effect(SharedRuns, make),
  )
}

const make = Effect.gen(function* () {
  const store = yield* makeSharedRunStore
  const notifications = makeNotifications()
  /** Heartbeats of all waiters of this process. */
  const renewals = new Set<Effect.Effect<void>>()

  yield* Effect.forkScoped(Stream.runForEach(store.news, (message) => Effect.sync(() => notifications.notify(message))))
  yield* Effect.suspend(() => Effect.all([...renewals], { concurrency: 16, discard: true })).pipe(
    Effect.schedule(Schedule.spaced(renewEvery)),
    Effect.forkScoped,
  )

  const join = Effect.fn("SharedRuns.join")(function* (name: string, options: JoinOptions) {
    const { joined, renew } = yield* makeWaiter(store, notifications, name, options)
    yield* Effect.acquireRelease(
      Effect.sync(() => renewals.add(renew)),
      () => Effect.sync(() => renewals.delete(renew)),
    )
    return joined
  })

  const unlessUnwanted = (isWanted: boolean) => (isWanted ? Effect.void : Effect.fail(new NoWaiters()))

  /** Fails when the run has no waiters left. A Redis that does not respond changes nothing. */
  const watch = (run: SharedRun, worker: string) =>
    Effect.gen(function* () {
      const latch = yield* notifications.subscribe(`gone ${run.id}`)
      for (;;) {
        yield* Effect.timeoutOption(latch.await, checkEvery)
        yield* latch.close
        yield* Effect.flatMap(
          Effect.catch(store.append(run, worker), () => Effect.succeed(true)),
          unlessUnwanted,
        )
      }
    }).pipe(Effect.scoped)

  const runWork = <E, R>(run: SharedRun, work: (progress: RunProgress) => Effect.Effect<RunResult, E | NoWaiters, R>) =>
    Effect.gen(function* () {
      const worker = randomUUID()
      const claimed = yield* store.claim(run, worker)
      if (claimed === undefined) return false
      const progress: RunProgress = {
        ...claimed,
        append: (chunk, position) => Effect.flatMap(store.append(run, worker, { chunk, position }), unlessUnwanted),
      }
      const result = yield* Effect.raceFirst(work(progress), watch(run, worker))
      yield* store.finish(run, worker, result)
      return true
    }).pipe(
      Effect.catchIf(
        (error): error is Extract<typeof error, NoWaiters> => error instanceof NoWaiters,
        () => Effect.succeed(false),
      ),
    ) as Effect.Effect<boolean, E | RedisFailure, R>

  return SharedRuns.of({
    join,
    run: (run, work) => Effect.withSpan(runWork(run, work), "SharedRuns.run"),
    fail: Effect.fn("SharedRuns.fail")(store.fail),
    discard: Effect.fn("SharedRuns.discard")(store.discard),
  })
})
