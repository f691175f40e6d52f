import { randomBytes } from "node:crypto"
import { Clock, Effect, Layer, Logger, Redacted } from "effect"
import { inject } from "vitest"
import type { CachedAnswer } from "#src/caching/Answer.ts"
import { AnswerCache } from "#src/caching/AnswerCache.ts"
import type { CacheEntry, Loaded } from "#src/caching/model.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { fickleRedis } from "#test/limits/fickleRedis.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { testConfiguration } from "#test/support/TestStores.ts"

const midnight = 1_794_700_800_000

/** A cache needs only Redis with its own keys. */
export const cacheStores = Layer.unwrap(Effect.sync(() => Redis.layer(Redacted.make(inject("redisUrl"))))).pipe(
  Layer.provide(testConfiguration({ "redis.prefix": `t${randomBytes(4).toString("hex")}` })),
)

/** A time of day that only the test moves; waits use real time. */
export const movableClock = () => {
  const real = Clock.Clock.defaultValue()
  const time = { now: midnight }
  const clock = clockShowing(() => time.now, real)
  return { time, layer: Layer.succeed(Clock.Clock, clock) }
}

type MovableClock = ReturnType<typeof movableClock>

/** The cache of another process on the same keys, with its own clock and connection to Redis. */
export const distantCache = Effect.fnUntraced(function* (
  flags: Record<string, string> = {},
  { time, layer }: MovableClock = movableClock(),
) {
  const { prefix, proxy, layer: redis } = yield* fickleRedis
  const said: Array<string> = []
  const logged = Logger.layer([
    Logger.make(({ message, cause }) => void said.push([message, cause].flat().map(String).join(" "))),
  ])
  const context = yield* Layer.build(
    Layer.fresh(AnswerCache.layer).pipe(
      Layer.provide(redis),
      Layer.provide([
        testConfiguration({ "redis.prefix": prefix, "redis.command-timeout": "1s", ...flags }),
        logged,
        layer,
      ]),
    ),
  )
  return { cache: yield* Effect.provide(AnswerCache, context), time, proxy, said }
})

interface Source {
  loads: number
  manner: "ok" | "down" | "gone"
  readonly load: Effect.Effect<Loaded, string>
}

/** A source with numbered answers. */
export const numbered = (): Source => {
  const source: Source = {
    loads: 0,
    manner: "ok",
    load: Effect.suspend(() => {
      source.loads += 1
      return source.manner === "ok" ? Effect.succeed({ value: source.loads }) : Effect.fail(source.manner)
    }),
  }
  return source
}

export const shown = ({ answer }: CachedAnswer): unknown => JSON.parse(answer.bytes.toString())

/** The answer and its origin, or the failure. */
export const outcome = <E>(cache: AnswerCache["Service"], entry: CacheEntry<E>) =>
  Effect.match(cache.get(entry), {
    onFailure: (error) => ["failed", error] as const,
    onSuccess: (cached) => [cached.from, shown(cached)] as const,
  })
