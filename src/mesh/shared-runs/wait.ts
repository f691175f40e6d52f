import { randomUUID } from "node:crypto"
import { Clock, Duration, Effect, type Latch, Option, Schedule, type Schema, Scope } from "effect"
import type { RedisFailure } from "#src/platform/redis/Redis.ts"
import type { Bells } from "./bells.ts"
import type { FlightStore } from "./FlightStore.ts"
import { type Flight, FlightFailed, FlightLost, FlightNotTaken, type FlightsFull } from "./model.ts"
import { makeUnpacker } from "./packing.ts"

export interface JoinOptions {
  /** Asks a worker to do it: enqueues a job with the flight in its payload and in its key. Asking again does no harm. */
  readonly start: (flight: Flight) => Effect.Effect<void, RedisFailure>
  /** How long it may take until a worker begins, or goes on with what another one has left. */
  readonly boarding: Duration.Duration
  /** It is not begun where all flights, of whatever name, hold so much; whoever joins one that is there always may. */
  readonly mostBytes?: number
}

export type JoinFailure = FlightFailed | FlightLost | FlightNotTaken | FlightsFull | RedisFailure

/** What a waiter has of a flight, from its beginning, whenever it came. */
export interface Joined {
  readonly flight: Flight
  /** What was said at its end, where it was over when the waiter came and was kept. */
  readonly kept: Option.Option<Schema.Json>
  /** The next piece; nothing when there are no more. */
  readonly next: Effect.Effect<Option.Option<Buffer>, JoinFailure>
  /** What is said at the end, for which all pieces are passed over that were not taken. */
  readonly end: Effect.Effect<Schema.Json, JoinFailure>
}

/** Redis may be away for a moment. */
const patience = Schedule.max([Schedule.spaced("250 millis"), Schedule.during("5 seconds")])

/** As many as keep whoever sends them busy, and no more memory than that takes. */
const piecesAtOnce = 3

/** A waiter of one flight. Where that is lost before it brought anything, it joins the next one of the name. */
export const makeWaiter = Effect.fnUntraced(function* (
  store: FlightStore,
  bells: Bells,
  name: string,
  { start, boarding, mostBytes }: JoinOptions,
) {
  const waiter = randomUUID()
  const scope = yield* Effect.scope
  /** By then somebody must be at work; nothing while somebody is. */
  let giveUpAt: number | undefined
  let fetched = 0
  let ended: Option.Option<Schema.Json> = Option.none()

  const board = Effect.gen(function* () {
    const id = randomUUID()
    giveUpAt = undefined
    const { flight, kept } = yield* Effect.acquireRelease(store.join(name, waiter, id, mostBytes), (joined) =>
      Effect.ignore(store.leave(joined.flight, waiter)),
    )
    const latch = yield* bells.listen(`news ${flight.id}`)
    if (flight.id === id) yield* start(flight)
    return { flight, kept, latch }
  }).pipe(Scope.provide(scope))

  let at: { readonly flight: Flight; readonly kept: Option.Option<Schema.Json>; readonly latch: Latch.Latch } =
    yield* board

  /** Nothing where it is gone and another one was begun. */
  const look = Effect.gen(function* () {
    yield* at.latch.close
    const sight = yield* Effect.retry(
      Effect.suspend(() => store.look(at.flight)),
      patience,
    )
    if (sight !== undefined) return sight
    if (fetched > 0) return yield* new FlightLost()
    at = yield* board
    return undefined
  })

  /** Sleeps until there may be news, but as long as nobody is at work, not for ever. */
  const sleep = Effect.fnUntraced(function* (isTaken: boolean) {
    if (isTaken) {
      giveUpAt = undefined
      return yield* at.latch.await
    }
    const now = yield* Clock.currentTimeMillis
    giveUpAt ??= now + Duration.toMillis(boarding)
    if (giveUpAt <= now) return yield* new FlightNotTaken({ waitedMillis: Duration.toMillis(boarding) })
    yield* Effect.timeoutOption(at.latch.await, giveUpAt - now)
  })

  const read = (count: number) =>
    Effect.retry(
      Effect.suspend(() => store.read(at.flight, fetched, count)),
      patience,
    )

  /** The next pieces that are there, as they are stored; none when there are no more. */
  const fetch = Effect.gen(function* () {
    for (;;) {
      const sight = yield* look
      const count = Math.min((sight?.chunks ?? 0) - fetched, piecesAtOnce)
      if (count > 0) {
        const pieces = yield* read(count)
        fetched += pieces.length
        if (pieces.length > 0) return pieces
      } else if (sight !== undefined && Option.isSome(sight.end)) {
        ended = sight.end
        return []
      } else if (sight?.failed !== undefined) {
        return yield* new FlightFailed({ reason: sight.failed })
      } else {
        yield* sleep(sight?.isTaken ?? false)
      }
    }
  })

  const { unpack } = yield* Effect.acquireRelease(Effect.sync(makeUnpacker), ({ close }) => Effect.sync(close))
  /** What does not unpack was not written by us, and is as good as gone. */
  const unpacked = (stored: Buffer) => Effect.tryPromise({ try: () => unpack(stored), catch: () => new FlightLost() })

  let pieces: ReadonlyArray<Buffer> = []
  const next = Effect.gen(function* () {
    if (pieces.length === 0) pieces = yield* fetch
    const [first, ...others] = pieces
    pieces = others
    return first === undefined ? Option.none() : Option.some(yield* unpacked(first))
  })

  const joined: Joined = {
    get flight() {
      return at.flight
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

  /** Says that it is there, looks at things itself in case that a message was missed, and asks again for what nobody does. */
  const renew = Effect.gen(function* () {
    const { flight, latch } = at
    if ((yield* store.renew(flight, waiter)) === "waiting") yield* start(flight)
    yield* latch.open
  }).pipe(Effect.ignore)

  return { joined, renew }
})
