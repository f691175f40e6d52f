import { randomUUID } from "node:crypto"
import { Context, Effect, Layer, type Option, Schedule, Schema, type Scope, Stream } from "effect"
import type { Redis, RedisFailure } from "#src/platform/redis/Redis.ts"
import type { StoreUnreachable } from "#src/platform/StoreUnreachable.ts"
import { makeBells } from "./shared-runs/bells.ts"
import { makeFlightStore } from "./shared-runs/FlightStore.ts"
import type { Flight, FlightsFull, Landing } from "./shared-runs/model.ts"
import { type Joined, type JoinOptions, makeWaiter } from "./shared-runs/wait.ts"

/** What whoever does the work has of a flight. */
export interface Seat {
  /** Where a predecessor got to, as it said with its last piece. */
  readonly position: Option.Option<Schema.Json>
  /** How many pieces it brought. */
  readonly chunks: number
  /** Gives a piece to all who wait. Together with the position, so that a successor goes on exactly behind it. */
  readonly append: (chunk: Uint8Array, position: Schema.Json) => Effect.Effect<void, RedisFailure | Unwanted>
}

/** Nobody waits for it any more, or somebody else does it. Ends the work, and is no failure. */
export class Unwanted extends Schema.TaggedError<Unwanted>()("Unwanted", {}) {}

/** How often waiters say that they are there, and workers ask whether somebody is. */
const renewEvery = "5 seconds"
const askEvery = "2 seconds"

/**
 * Work that workers do for whoever waits for it, over Redis: one at a time under a name, over all processes, and its bytes
 * from the beginning for everybody who joins. It ends when the last waiter leaves. Everything about it expires by itself.
 */
export class Flights extends Context.Service<
  Flights,
  {
    /** Joins the flight of this name or starts it; the waiter leaves when the scope closes. */
    readonly join: (
      name: string,
      options: JoinOptions,
    ) => Effect.Effect<Joined, FlightsFull | RedisFailure, Scope.Scope>
    /** Does the work of a flight, as long as somebody waits for it; tells whether it was done. */
    readonly fly: <E, R>(
      flight: Flight,
      work: (seat: Seat) => Effect.Effect<Landing, E | Unwanted, R>,
    ) => Effect.Effect<boolean, E | RedisFailure, R>
    /** Tells those who wait that it will not be done. */
    readonly giveUp: (flight: Flight, reason: string) => Effect.Effect<void, RedisFailure>
    /** Whoever comes from now on gets a new one. */
    readonly forget: (flight: Flight) => Effect.Effect<void, RedisFailure>
  }
>()("presage/mesh/Flights") {
  static readonly layer: Layer.Layer<Flights, StoreUnreachable, Redis> = Layer.suspend(() =>
    Layer.effect(Flights, make),
  )
}

const make = Effect.gen(function* () {
  const store = yield* makeFlightStore
  const bells = makeBells()
  /** Of all waiters of this process. */
  const renewals = new Set<Effect.Effect<void>>()

  yield* Effect.forkScoped(Stream.runForEach(store.news, (message) => Effect.sync(() => bells.ring(message))))
  yield* Effect.suspend(() => Effect.all([...renewals], { concurrency: 16, discard: true })).pipe(
    Effect.schedule(Schedule.spaced(renewEvery)),
    Effect.forkScoped,
  )

  const join = Effect.fnUntraced(function* (name: string, options: JoinOptions) {
    const { joined, renew } = yield* makeWaiter(store, bells, name, options)
    yield* Effect.acquireRelease(
      Effect.sync(() => renewals.add(renew)),
      () => Effect.sync(() => renewals.delete(renew)),
    )
    return joined
  })

  const goOn = (isWanted: boolean) => (isWanted ? Effect.void : Effect.fail(new Unwanted()))

  /** Ends when nobody waits any more. A Redis that does not answer says nothing about that. */
  const watch = (flight: Flight, flyer: string) =>
    Effect.gen(function* () {
      const latch = yield* bells.listen(`gone ${flight.id}`)
      for (;;) {
        yield* Effect.timeoutOption(latch.await, askEvery)
        yield* latch.close
        yield* Effect.flatMap(
          Effect.catch(store.append(flight, flyer), () => Effect.succeed(true)),
          goOn,
        )
      }
    }).pipe(Effect.scoped)

  const fly = <E, R>(flight: Flight, work: (seat: Seat) => Effect.Effect<Landing, E | Unwanted, R>) =>
    Effect.gen(function* () {
      const flyer = randomUUID()
      const boarded = yield* store.board(flight, flyer)
      if (boarded === undefined) return false
      const seat: Seat = {
        ...boarded,
        append: (chunk, position) => Effect.flatMap(store.append(flight, flyer, { chunk, position }), goOn),
      }
      const landing = yield* Effect.raceFirst(work(seat), watch(flight, flyer))
      yield* store.land(flight, flyer, landing)
      return true
    }).pipe(
      Effect.catchIf(
        (error): error is Extract<typeof error, Unwanted> => error instanceof Unwanted,
        () => Effect.succeed(false),
      ),
    ) as Effect.Effect<boolean, E | RedisFailure, R>

  return Flights.of({ join, fly, giveUp: store.giveUp, forget: store.forget })
})
