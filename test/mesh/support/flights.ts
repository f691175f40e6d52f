import { Deferred, Duration, Effect, Fiber, Option, Queue, type Schema } from "effect"
import { Flights, type Seat } from "#src/mesh/SharedRuns.ts"
import type { Flight } from "#src/mesh/shared-runs/model.ts"
import type { Joined } from "#src/mesh/shared-runs/wait.ts"
import { Redis } from "#src/platform/redis/Redis.ts"

const keep = { kind: "tests", millis: 60_000, mostBytes: 100_000 }
export const boarding = Duration.seconds(10)

/** Everything that is still to come, as text, and what is said at the end. */
export const rest = Effect.fnUntraced(function* ({ next, end }: Joined) {
  let text = ""
  for (let chunk = yield* next; Option.isSome(chunk); chunk = yield* next) text += chunk.value.toString()
  return { text, end: yield* end }
})

/** A flight whose work the test does step by step. */
export const piloted = Effect.fnUntraced(function* (name: string, mostBytes?: number) {
  const flights = yield* Flights
  const asked = yield* Queue.unbounded<Flight>()
  const join = flights.join(name, {
    start: (flight) => Effect.asVoid(Queue.offer(asked, flight)),
    boarding,
    ...(mostBytes === undefined ? {} : { mostBytes }),
  })
  const takeOff = Effect.gen(function* () {
    const flight = yield* Queue.take(asked)
    const seat = yield* Deferred.make<Seat>()
    const landed = yield* Deferred.make<{ readonly end: Schema.Json; readonly keep?: typeof keep }>()
    const fiber = yield* Effect.forkScoped(
      flights.fly(flight, (taken) => Effect.andThen(Deferred.succeed(seat, taken), Deferred.await(landed))),
    )
    const { append, ...rest } = yield* Deferred.await(seat)
    return {
      ...rest,
      flight,
      fiber,
      say: (text: string, position: Schema.Json = text) => append(Buffer.from(text), position),
      land: (end: Schema.Json, isKept = false) =>
        Effect.andThen(Deferred.succeed(landed, isKept ? { end, keep } : { end }), Fiber.join(fiber)),
    }
  })
  return { asked, join, takeOff, flights }
})

export const keysLeft = (name: string) =>
  Effect.flatMap(Redis, (redis) => redis.run((client) => client.keys(`${redis.prefix}:flights:{${name}}*`)))
