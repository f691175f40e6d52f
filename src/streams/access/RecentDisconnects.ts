import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import type { KeyId } from "#src/domain/Account.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { batchScriptCalls, loadScript, type RunScript, type ScriptCall } from "#src/platform/redis/RedisScript.ts"

const recordScript = loadScript(new URL("./lua/recordDisconnect.lua", import.meta.url))
const takeScript = loadScript(new URL("./lua/takeDisconnect.lua", import.meta.url))

const retentionMillis = 600_000
/** Older records of the key are dropped. */
const maxPerKey = 100

/** Why the gateway cut a connection whose client could not receive the close frame. */
export const Disconnect = Schema.Struct({
  subscriber_id: Schema.String,
  code: Schema.Int,
  reason: Schema.String,
  /** Unix milliseconds. */
  at: Schema.Int,
  from_seq: Schema.optionalKey(Schema.Int),
  to_seq: Schema.optionalKey(Schema.Int),
})
export type Disconnect = typeof Disconnect.Type

const DisconnectJson = Schema.fromJsonString(Disconnect)
const encode = Schema.encodeSync(DisconnectJson)
const decode = Schema.decodeUnknownOption(DisconnectJson)

/**
 * Keeps the reason of a cut connection for ten minutes, so that the client's next connection can report it: a peer that
 * reads too slowly never sees the close frame. Nothing is kept while Redis is unavailable.
 */
export class RecentDisconnects extends Context.Service<
  RecentDisconnects,
  {
    readonly record: (lineage: KeyId, disconnect: Disconnect) => Effect.Effect<void>
    /** Removes and returns the record of the given connection, or else the newest one of the key. */
    readonly take: (lineage: KeyId, subscriberId?: string) => Effect.Effect<Disconnect | undefined>
  }
>()("presage/streams/access/RecentDisconnects") {
  static readonly layer = Layer.effect(
    RecentDisconnects,
    Effect.gen(function* () {
      const redis = yield* Redis
      const clock = yield* Clock.Clock
      const { disconnects } = keys(redis.prefix)

      const call = batchScriptCalls(redis.commands)
      const run = (script: RunScript, lineage: KeyId, args: ScriptCall["args"]) => {
        const { byTime, records } = disconnects(lineage)
        return Effect.promise(() => call(script, { keys: [byTime, records], args }))
      }

      return RecentDisconnects.of({
        record: (lineage, disconnect) =>
          Effect.suspend(() => {
            const { subscriber_id, at } = disconnect
            const args = [subscriber_id, at, encode(disconnect), maxPerKey, retentionMillis]
            return Effect.asVoid(run(recordScript, lineage, args))
          }),
        take: Effect.fn("RecentDisconnects.take")(function* (lineage: KeyId, subscriberId = "") {
          const now = clock.currentTimeMillisUnsafe()
          const record = yield* run(takeScript, lineage, [subscriberId, now - retentionMillis])
          return typeof record === "string" ? Option.getOrUndefined(decode(record)) : undefined
        }),
      })
    }),
  )
}
