import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer, Logger } from "effect"
import { AccountId, KeyId } from "#src/domain/Account.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { ConnectionLeases } from "#src/streams/access/ConnectionLeases.ts"
import { Farewells } from "#src/streams/access/Farewells.ts"
import { Sessions } from "#src/streams/access/Sessions.ts"
import { fickleRedis } from "#test/limits/fickleRedis.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { testConfiguration } from "#test/support/TestStores.ts"

export const someAccount = () => AccountId.make(randomUUID())
export const someLineage = () => KeyId.make(randomUUID())

interface Options {
  readonly flags?: Record<string, string>
  /** What its clock shows. */
  readonly now?: () => number
}

/** A gateway with a way of its own to Redis, which can be cut: to the others that is as if it had been killed. */
export const gateway = Effect.fnUntraced(function* ({ flags = {}, now }: Options = {}) {
  const { prefix, proxy, layer: redis } = yield* fickleRedis
  const real = yield* Clock.Clock
  const said: Array<string> = []
  const context = yield* Layer.build(
    Layer.fresh(Layer.mergeAll(ConnectionLeases.layer, Sessions.layer, Farewells.layer)).pipe(
      Layer.provide(redis),
      Layer.provide(testConfiguration({ "redis.prefix": prefix, ...flags })),
      Layer.provide(Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])),
      Layer.provide(Layer.succeed(Clock.Clock, now === undefined ? real : clockShowing(now, real))),
    ),
  )
  return {
    leases: Context.get(context, ConnectionLeases),
    sessions: Context.get(context, Sessions),
    farewells: Context.get(context, Farewells),
    proxy,
    said,
  }
})

/** Everything that Redis keeps of this test file is gone, as after a restart without its file. */
export const loseRedis = Effect.gen(function* () {
  const redis = yield* Redis
  yield* redis.run(async (client) => {
    const lost = await client.keys(`${redis.prefix}:ws:*`)
    if (lost.length > 0) await client.del(...lost)
    await client.script("FLUSH")
  })
})
