import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Tick } from "#src/domain/Tick.ts"
import { makePublisher } from "#src/ticks/publisher.ts"
import { tickMetrics } from "#src/ticks/TickMetrics.ts"
import { TickTail } from "#src/ticks/TickTail.ts"
import { fickleRedis } from "#test/limits/fickleRedis.ts"
import { eventually } from "#test/support/eventually.ts"
import { quoteOf } from "#test/support/quoteOf.ts"
import { testConfiguration, testFoundation } from "#test/support/TestStores.ts"
import { counted } from "./support.ts"

const source = "platform_oracle"
const start = 1_794_700_800_000
const tickAt = (second: number): Tick => ({ coin: "XRP", at: start + second * 1000, ...quoteOf(2n, 1n, 3n) })

layer(TickTail.layer.pipe(Layer.provideMerge(testFoundation({ "redis.command-timeout": "1s" }))), {
  excludeTestServices: true,
})("makePublisher", (it) => {
  it.effect("publishes in order without blocking the caller and counts the ticks lost while Redis is unavailable", () =>
    Effect.gen(function* () {
      const local = yield* TickTail
      const { prefix, proxy, layer: redis } = yield* fickleRedis
      const context = yield* Layer.build(
        Layer.fresh(TickTail.layer).pipe(
          Layer.provide(redis),
          Layer.provide(testConfiguration({ "redis.prefix": prefix, "redis.command-timeout": "1s" })),
        ),
      )
      const metrics = tickMetrics(source, yield* Effect.context<never>())
      const publish = yield* Effect.provide(makePublisher(source, metrics), context)
      const seconds = Effect.map(local.read(source, "XRP", "0", 100), (ticks) =>
        ticks.map(({ at }) => (at - start) / 1000),
      )
      const lost = counted("presage_tick_unpublished_total", { source })
      const before = yield* lost

      proxy.become("refuse")
      yield* publish([tickAt(1), tickAt(2)])
      yield* publish([tickAt(3)])
      yield* eventually(
        "they are counted as unpublished",
        Effect.map(lost, (count) => count === before + 3),
      )
      assert.isEmpty(yield* seconds)

      proxy.become("pass")
      yield* eventually(
        "Redis accepts ticks again",
        publish([tickAt(4)]).pipe(
          Effect.andThen(seconds),
          Effect.map((published) => published.length > 0),
        ),
      )
      for (const second of [5, 6, 7, 8]) yield* publish([tickAt(second)])
      yield* eventually(
        "the last tick is published",
        Effect.map(seconds, (published) => published.at(-1) === 8),
      )
      assert.deepStrictEqual(yield* seconds, [4, 5, 6, 7, 8])

      proxy.become("lose answers")
      const lostBefore = yield* lost
      for (const second of [9, 10]) yield* publish([tickAt(second)])
      yield* eventually(
        "the last tick is published",
        Effect.map(seconds, (published) => published.at(-1) === 10),
      )
      assert.strictEqual(yield* lost, lostBefore, "a tick waited for the one before it to fail")
    }),
  )
})
