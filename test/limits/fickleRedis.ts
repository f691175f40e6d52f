import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { Redis } from "#src/platform/redis/Redis.ts"
import { fickleProxy } from "./fickleProxy.ts"

/** A separate connection to the shared Redis that can be cut, and its keys. */
export const fickleRedis = Effect.gen(function* () {
  const { prefix } = yield* Redis
  const url = new URL(inject("redisUrl"))
  const proxy = yield* fickleProxy(new URL(url))
  url.hostname = "127.0.0.1"
  url.port = String(proxy.port)
  return { prefix, proxy, layer: Layer.fresh(Redis.layer(Redacted.make(url.href))) }
})
