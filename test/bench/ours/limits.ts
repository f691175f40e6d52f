import { Effect, Layer, ManagedRuntime } from "effect"
import { Limiter } from "#src/limits/Limiter.ts"
import type { Buckets } from "#src/limits/model.ts"
import { takeFromWindows } from "#src/limits/slidingWindow.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { expose } from "../support/expose.ts"
import { countFor, type LimitsSubject, windowMillis, windowSize } from "../support/limits.ts"
import { configuration } from "./foundation.ts"

const runtime = ManagedRuntime.make(
  Limiter.layer.pipe(Layer.provideMerge(foundation), Layer.provideMerge(configuration())),
)
const { limiter, redis } = await runtime.runPromise(Effect.all({ limiter: Limiter, redis: Redis }))

const bucketsOf = (limit: number): Buckets => [{ name: "standard", limit, windowMillis }]
const ownerOf = (owner: number) => `account:${owner}`

expose<LimitsSubject>({
  fill: async (owners) => {
    const buckets = bucketsOf(windowSize)
    const keyOf = (owner: number) => keys(redis.prefix).limit(ownerOf(owner), "standard", windowMillis)
    for (let owner = 0; owner < owners; owner++) {
      await takeFromWindows(redis.commands, [{ keys: [keyOf(owner)], buckets, count: windowSize }])
    }
    return (await redis.commands.memory("USAGE", keyOf(0))) ?? Number.NaN
  },
  check: (load, millis) => {
    const buckets = bucketsOf(load.limit)
    return countFor(load, millis, (owners) =>
      runtime.runPromise(
        Effect.forEach(owners, (owner) => limiter.takeOrLocal(ownerOf(owner), buckets), {
          concurrency: "unbounded",
          discard: true,
        }),
      ),
    )
  },
})
