import assert from "node:assert/strict"
import { it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { Redis } from "#src/platform/redis/Redis.ts"
import { eventually } from "#test/support/eventually.ts"
import { testConfiguration } from "#test/support/TestStores.ts"
import { faultProxy } from "#test/webhooks/support/faultProxy.ts"

it.live(
  "a connection to Redis that a firewall has forgotten is replaced instead of timing out for a quarter of an hour",
  () =>
    Effect.gen(function* () {
      const url = new URL(inject("redisUrl"))
      const proxy = yield* faultProxy(Number(url.port))
      url.port = String(proxy.port)
      const layer = Layer.fresh(Redis.layer(Redacted.make(url.href))).pipe(
        Layer.provide(testConfiguration({ "redis.command-timeout": "100ms" })),
      )
      yield* Effect.gen(function* () {
        const redis = yield* Redis
        const ping = redis.run((client) => client.ping())
        assert.equal(yield* ping, "PONG")
        yield* proxy.become("black-hole")
        assert.match((yield* Effect.flip(ping)).message, /Command timed out/)
        yield* proxy.become("pass")
        // The old connection stays silent.
        assert.match((yield* Effect.flip(ping)).message, /Command timed out/)
        yield* eventually(
          "commands are answered again",
          Effect.map(Effect.option(ping), ({ _tag }) => _tag === "Some"),
        )
      }).pipe(Effect.provide(layer))
    }),
)
