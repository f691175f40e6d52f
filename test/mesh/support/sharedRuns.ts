import { Deferred, Duration, Effect, Fiber, Option, Queue, type Schema } from "effect"
import { type RunProgress, SharedRuns } from "#src/mesh/SharedRuns.ts"
import type { SharedRun } from "#src/mesh/shared-runs/model.ts"
import type { Joined } from "#src/mesh/shared-runs/waiter.ts"
import { Redis } from "#src/platform/redis/Redis.ts"

const keep = { kind: "tests", millis: 60_000, mostBytes: 100_000 }
export const startWithin = Duration.seconds(10)

/** All further chunks as text, and the result. */
export const readToEnd = Effect.fnUntraced(function* ({ next, end }: Joined) {
  let text = ""
  for (let chunk = yield* next; Option.isSome(chunk); chunk = yield* next) text += chunk.value.toString()
  return { text, end: yield* end }
})

/** A run whose worker the test controls step by step. */
export const steppedRun = Effect.fnUntraced(function* (name: string, mostBytes?: number) {
  const runs = yield* SharedRuns
  const startRequests = yield* Queue.unbounded<SharedRun>()
  const join = runs.join(name, {
    start: (run) => Effect.asVoid(Queue.offer(startRequests, run)),
    startWithin,
    ...(mostBytes === undefined ? {} : { mostBytes }),
  })
  const startWork = Effect.gen(function* () {
    const run = yield* Queue.take(startRequests)
    const progress = yield* Deferred.make<RunProgress>()
    const result = yield* Deferred.make<{ readonly end: Schema.Json; readonly keep?: typeof keep }>()
    const fiber = yield* Effect.forkScoped(
      runs.run(run, (taken) => Effect.andThen(Deferred.succeed(progress, taken), Deferred.await(result))),
    )
    const { append, ...rest } = yield* Deferred.await(progress)
    return {
      ...rest,
      run,
      fiber,
      append: (text: string, position: Schema.Json = text) => append(Buffer.from(text), position),
      finish: (end: Schema.Json, isKept = false) =>
        Effect.andThen(Deferred.succeed(result, isKept ? { end, keep } : { end }), Fiber.join(fiber)),
    }
  })
  return { startRequests, join, startWork, runs }
})

export const keysLeft = (name: string) =>
  Effect.flatMap(Redis, (redis) => redis.run((client) => client.keys(`${redis.prefix}:flights:{${name}}*`)))
