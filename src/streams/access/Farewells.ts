import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import type { KeyId } from "#src/domain/Account.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { gatherCalls, loadScript, type RunScript, type ScriptCall } from "#src/platform/redis/RedisScript.ts"

const rememberScript = loadScript(new URL("./lua/remember.lua", import.meta.url))
const recallScript = loadScript(new URL("./lua/recall.lua", import.meta.url))

const keptMillis = 600_000
/** Of one key; the oldest are forgotten. */
const mostOfAKey = 100

/** Why a connection was cut, for a client that could not be told. */
export const Farewell = Schema.Struct({
  subscriber_id: Schema.String,
  code: Schema.Int,
  reason: Schema.String,
  /** Unix milliseconds. */
  at: Schema.Int,
  from_seq: Schema.optionalKey(Schema.Int),
  to_seq: Schema.optionalKey(Schema.Int),
})
export type Farewell = typeof Farewell.Type

const Words = Schema.fromJsonString(Farewell)
const encode = Schema.encodeSync(Words)
const decode = Schema.decodeUnknownOption(Words)

/**
 * Keeps for ten minutes why connections were cut, so that the next one of the client can be told: a peer that reads too
 * slowly never sees the close frame. While Redis is away nothing is kept.
 */
export class Farewells extends Context.Service<
  Farewells,
  {
    readonly remember: (lineage: KeyId, farewell: Farewell) => Effect.Effect<void>
    /** Of the connection that the client names, otherwise the newest of its key. Each is told once. */
    readonly recall: (lineage: KeyId, subscriberId?: string) => Effect.Effect<Farewell | undefined>
  }
>()("presage/streams/access/Farewells") {
  static readonly layer = Layer.effect(
    Farewells,
    Effect.gen(function* () {
      const redis = yield* Redis
      const clock = yield* Clock.Clock
      const { farewells } = keys(redis.prefix)

      const call = gatherCalls(redis.commands)
      const run = (script: RunScript, lineage: KeyId, args: ScriptCall["args"]) => {
        const { order, words } = farewells(lineage)
        return Effect.promise(() => call(script, { keys: [order, words], args }))
      }

      return Farewells.of({
        remember: (lineage, farewell) =>
          Effect.suspend(() => {
            const { subscriber_id, at } = farewell
            const args = [subscriber_id, at, encode(farewell), mostOfAKey, keptMillis]
            return Effect.asVoid(run(rememberScript, lineage, args))
          }),
        recall: Effect.fnUntraced(function* (lineage: KeyId, subscriberId = "") {
          const now = clock.currentTimeMillisUnsafe()
          const words = yield* run(recallScript, lineage, [subscriberId, now - keptMillis])
          return typeof words === "string" ? Option.getOrUndefined(decode(words)) : undefined
        }),
      })
    }),
  )
}
