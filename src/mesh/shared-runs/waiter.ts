import { randomUUID } from "node:crypto"
import { Clock, Duration, Effect, type Latch, Option, Schedule, type Schema, Scope } from "effect"
import type { RedisFailure } from "#src/platform/redis/Redis.ts"
import { type SharedRun, SharedRunFailed, SharedRunLost, SharedRunNotStarted, type SharedRunsFull } from "./model.ts"
import type { Notifications } from "./Notifications.ts"
import { makeUnpacker } from "./packing.ts"
import type { SharedRunStore } from "./SharedRunStore.ts"

export interface JoinOptions {
  /** Enqueues a job with the run in its payload and in its key. Calling it again is harmless. */
  readonly start: (run: SharedRun) => Effect.Effect<void, RedisFailure>
  /** How long it may take until a worker starts, or continues after another worker's crash. */
  readonly startWithin: Duration.Duration
  /** A new run is refused while all runs together hold this much; joining an existing run is always allowed. */
  readonly mostBytes?: number
}

export type JoinFailure = SharedRunFailed | SharedRunLost | SharedRunNotStarted | SharedRunsFull | RedisFailure

/** A waiter's view of a run, from its first chunk, whenever the waiter joined. */
export interface Joined {
  readonly run: SharedRun
  /** The result of a run that had ended before the waiter joined and was kept. */
  readonly kept: Option.Option<Schema.Json>
  /** The next chunk; none after the last one. */
  readonly next: Effect.Effect<Option.Option<Buffer>, JoinFailure>
  /** The result. Skips all chunks that were not read. */
  readonly end: Effect.Effect<Schema.Json, JoinFailure>
}

/** Redis may be unavailable for a moment. */
const patience = Schedule.max([Schedule.spaced("250 millis"), Schedule.during("5 seconds")])

/** Enough to keep the sender busy without holding more memory. */
const piecesAtOnce = 3

/** A waiter of one run. If the run is lost before its first chunk, the waiter joins the next run of the name. */
export const makeWaiter = Effect.fnUntraced(function* (
  store: SharedRunStore,
  notifications: Notifications,
  name: string,
  { start, startWithin, mostBytes }: JoinOptions,
) {
  const waiter = randomUUID()
  const scope = yield* Effect.scope
  /** A worker must have started by then; undefined while one is active. */
  let giveUpAt: number | undefined
  let fetched = 0
  let ended: Option.Option<Schema.Json> = Option.none()

  const joinRun = Effect.gen(function* () {
    const id = randomUUID()
    giveUpAt = undefined
    const { run, kept } = yield* Effect.acquireRelease(store.join(name, waiter, id, mostBytes), (joined) =>
      Effect.ignore(store.leave(joined.run, waiter)),
    )
    const latch = yield* notifications.subscribe(`news ${run.id}`)
    if (run.id === id) yield* start(run)
    return { run, kept, latch }
  }).pipe(Scope.provide(scope))

  let at: { readonly run: SharedRun; readonly kept: Option.Option<Schema.Json>; readonly latch: Latch.Latch } =
    yield* joinRun

  /** Undefined when the run was lost and another one was joined. */
  const readState = Effect.gen(function* () {
    yield* at.latch.close
    const state = yield* Effect.retry(
      Effect.suspend(() => store.state(at.run)),
      patience,
    )
    if (state !== undefined) return state
    if (fetched > 0) return yield* new SharedRunLost()
    at = yield* joinRun
    return undefined
  })

  /** Waits for a notification; without an active worker, only until the deadline. */
  const sleep = Effect.fnUntraced(function* (isTaken: boolean) {
    if (isTaken) {
      giveUpAt = undefined
      return yield* at.latch.await
    }
    const now = yield* Clock.currentTimeMillis
    giveUpAt ??= now + Duration.toMillis(startWithin)
    if (giveUpAt <= now) return yield* new SharedRunNotStarted({ waitedMillis: Duration.toMillis(startWithin) })
    yield* Effect.timeoutOption(at.latch.await, giveUpAt - now)
  })

  const read = (count: number) =>
    Effect.retry(
      Effect.suspend(() => store.read(at.run, fetched, count)),
      patience,
    )

  /** The next stored chunks; none after the last one. */
  const fetch = Effect.gen(function* () {
    for (;;) {
      const state = yield* readState
      const count = Math.min((state?.chunks ?? 0) - fetched, piecesAtOnce)
      if (count > 0) {
        const pieces = yield* read(count)
        fetched += pieces.length
        if (pieces.length > 0) return pieces
      } else if (state !== undefined && Option.isSome(state.end)) {
        ended = state.end
        return []
      } else if (state?.failed !== undefined) {
        return yield* new SharedRunFailed({ reason: state.failed })
      } else {
        yield* sleep(state?.isTaken ?? false)
      }
    }
  })

  const { unpack } = yield* Effect.acquireRelease(Effect.sync(makeUnpacker), ({ close }) => Effect.sync(close))
  /** A chunk that does not unpack was not written by us, so the run counts as lost. */
  const unpacked = (stored: Buffer) =>
    Effect.tryPromise({ try: () => unpack(stored), catch: () => new SharedRunLost() })

  let pieces: ReadonlyArray<Buffer> = []
  const next = Effect.gen(function* () {
    if (pieces.length === 0) pieces = yield* fetch
    const [first, ...others] = pieces
    pieces = others
    return first === undefined ? Option.none() : Option.some(yield* unpacked(first))
  })

  const joined: Joined = {
    get run() {
      return at.run
    },
    get kept() {
      return at.kept
    },
    next,
    end: Effect.gen(function* () {
      while (Option.isNone(ended)) yield* fetch
      return ended.value
    }),
  }

  /** Heartbeat. Also wakes the waiter in case a message was missed, and enqueues the job again if no worker is active. */
  const renew = Effect.gen(function* () {
    const { run, latch } = at
    if ((yield* store.renew(run, waiter)) === "waiting") yield* start(run)
    yield* latch.open
  }).pipe(Effect.ignore)

  return { joined, renew }
})
