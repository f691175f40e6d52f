import assert from "node:assert/strict"
import { it } from "@effect/vitest"
import { Effect, Layer, Queue, Redacted, Stream } from "effect"
import { Redis as Client } from "ioredis"
import { inject } from "vitest"
import { Redis } from "#src/platform/redis/Redis.ts"
import { eventually } from "#test/support/eventually.ts"
import { testConfiguration } from "#test/support/TestStores.ts"
import { faultProxy } from "#test/webhooks/support/faultProxy.ts"

/** Redis behind a proxy that can forget its connections. */
const forgetful = Effect.gen(function* () {
  const url = new URL(inject("redisUrl"))
  const proxy = yield* faultProxy(Number(url.port))
  url.port = String(proxy.port)
  const layer = Layer.fresh(Redis.layer(Redacted.make(url.href))).pipe(
    Layer.provide(testConfiguration({ "redis.command-timeout": "100ms" })),
  )
  return { proxy, layer }
})

it.live(
  "a connection to Redis that a firewall has forgotten is replaced instead of timing out for a quarter of an hour",
  () =>
    Effect.gen(function* () {
      const { proxy, layer } = yield* forgetful
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

it.live("a subscriber whose connection a firewall has forgotten subscribes again although nothing is published", () =>
  Effect.gen(function* () {
    const { proxy, layer } = yield* forgetful
    const channel = "presage-test-forgotten"
    const publisher = yield* Effect.acquireRelease(
      Effect.sync(() => new Client(inject("redisUrl"))),
      (client) => Effect.sync(() => client.disconnect()),
    )
    const publish = (message: string) => Effect.promise(() => publisher.publish(channel, message))
    const messages = yield* Queue.unbounded<string>()
    yield* Effect.gen(function* () {
      const redis = yield* Redis
      yield* redis.subscribe(channel).pipe(
        Stream.runForEach((message) => Queue.offer(messages, message)),
        Effect.forkScoped,
      )
      yield* eventually(
        "the subscriber listens",
        Effect.map(publish("before"), (subscribers) => subscribers === 1),
      )
      yield* proxy.become("black-hole")
      assert.equal(yield* publish("lost on the way"), 1)
      yield* proxy.become("pass")
      yield* eventually(
        "a message published afterwards arrives",
        Effect.gen(function* () {
          yield* publish("after")
          return (yield* Queue.clear(messages)).includes("after")
        }),
      )
    }).pipe(Effect.provide(layer))
  }),
)
