import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer, Logger } from "effect"
import { AccountId, KeyId } from "#src/domain/Account.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { ConnectionLeases } from "#src/streams/access/ConnectionLeases.ts"
import { RecentDisconnects } from "#src/streams/access/RecentDisconnects.ts"
import { SessionQuota } from "#src/streams/access/SessionQuota.ts"
import { fickleRedis } from "#test/limits/fickleRedis.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { testConfiguration } from "#test/support/TestStores.ts"

export const someAccount = () => AccountId.make(randomUUID())
export const someLineage = () => KeyId.make(randomUUID())

interface Options {
  readonly flags?: Record<string, string>
  /** The time of its clock. */
  readonly now?: () => number
}

/** A gateway with its own connection to Redis. Cutting it looks to the others as if the gateway was killed. */
export const gateway = Effect.fnUntraced(function* ({ flags = {}, now }: Options = {}) {
  const { prefix, proxy, layer: redis } = yield* fickleRedis
  const real = yield* Clock.Clock
  const logged: Array<string> = []
  const context = yield* Layer.build(
    Layer.fresh(Layer.mergeAll(ConnectionLeases.layer, SessionQuota.layer, RecentDisconnects.layer)).pipe(
      Layer.provide(redis),
      Layer.provide(testConfiguration({ "redis.prefix": prefix, "redis.command-timeout": "1s", ...flags })),
      Layer.provide(Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])),
      Layer.provide(Layer.succeed(Clock.Clock, now === undefined ? real : clockShowing(now, real))),
    ),
  )
  return {
    leases: Context.get(context, ConnectionLeases),
    sessionQuota: Context.get(context, SessionQuota),
    disconnects: Context.get(context, RecentDisconnects),
    proxy,
    logged,
  }
})

/** Deletes all gateway keys and scripts, as after a restart without persistence. */
export const loseRedis = Effect.gen(function* () {
  const redis = yield* Redis
  yield* redis.run(async (client) => {
    const lost = await client.keys(`${redis.prefix}:ws:*`)
    if (lost.length > 0) await client.del(...lost)
    await client.script("FLUSH")
  })
})
