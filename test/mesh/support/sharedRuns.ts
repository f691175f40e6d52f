import { Deferred, Duration, Effect, Fiber, Option, Queue, type Schema } from "effect"
import { SharedRuns, type RunProgress } from "#src/mesh/SharedRuns.ts"
import type { SharedRun } from "#src/mesh/shared-runs/model.ts"
import type { Joined } from "#src/mesh/shared-runs/waiter.ts"
import { Redis } from "#src/platform/redis/Redis.ts"

const keep = { kind: "tests", millis: 60_000, mostBytes: 100_000 }
export const boarding = Duration.seconds(10)

/** Everything that is still to come, as text, and what is said at the end. */
export const rest = Effect.fnUntraced(function* ({ next, end }: Joined) {
  let text = ""
  for (let chunk = yield* next; Option.isSome(chunk); chunk = yield* next) text += chunk.value.toString()
  return { text, end: yield* end }
})

/** A run whose work the test does step by step. */
export const piloted = Effect.fnUntraced(function* (name: string, mostBytes?: number) {
  const runs = yield* SharedRuns
  const asked = yield* Queue.unbounded<SharedRun>()
  const join = runs.join(name, {
    start: (run) => Effect.asVoid(Queue.offer(asked, run)),
    startWithin: boarding,
    ...(mostBytes === undefined ? {} : { mostBytes }),
  })
  const takeOff = Effect.gen(function* () {
    const run = yield* Queue.take(asked)
    const seat = yield* Deferred.make<RunProgress>()
    const landed = yield* Deferred.make<{ readonly end: Schema.Json; readonly keep?: typeof keep }>()
    const fiber = yield* Effect.forkScoped(
      runs.run(run, (taken) => Effect.andThen(Deferred.succeed(seat, taken), Deferred.await(landed))),
    )
    const { append, ...rest } = yield* Deferred.await(seat)
    return {
      ...rest,
      run,
      fiber,
      say: (text: string, position: Schema.Json = text) => append(Buffer.from(text), position),
      land: (end: Schema.Json, isKept = false) =>
        Effect.andThen(Deferred.succeed(landed, isKept ? { end, keep } : { end }), Fiber.join(fiber)),
    }
  })
  return { asked, join, takeOff, runs }
})

export const keysLeft = (name: string) =>
  Effect.flatMap(Redis, (redis) => redis.run((client) => client.keys(`${redis.prefix}:flights:{${name}}*`)))
