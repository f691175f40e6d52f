import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { exitCodes } from "./process/exitCodes.ts"

/** A configured store does not answer. */
export class StoreUnreachable extends Schema.TaggedError<StoreUnreachable>()("StoreUnreachable", {
  store: Schema.String,
  variable: Schema.String,
  where: Schema.String,
  reason: Schema.String,
}) {
  readonly exitCode = exitCodes.storeUnavailable
  override get message() {
    return `cannot use ${this.store} at ${this.where}: ${this.reason}. Check that it is running and that ${this.variable} is correct.`
  }
}

export class UnsupportedStore extends Schema.TaggedError<UnsupportedStore>()("UnsupportedStore", {
  store: Schema.String,
  found: Schema.String,
  wants: Schema.String,
}) {
  readonly exitCode = exitCodes.storeUnavailable
  override get message() {
    return `${this.store} ${this.found} is not supported: Presage needs ${this.wants}`
  }
}

/** The oldest supported major versions. */
export const oldestSupported = { postgres: 15, redis: 7 } as const

const majorOf = (version: string) => Number.parseInt(version, 10)

/** Refuses stores that are too old before anything is written to them. `redisInfo` is the reply to `INFO server`. */
export const checkStoreVersions = Effect.fnUntraced(function* <E>(sql: SqlClient, redisInfo: Effect.Effect<string, E>) {
  const [row] = yield* sql<{ version: string }>`select current_setting('server_version') as version`
  const postgres = row?.version ?? ""
  if (majorOf(postgres) < oldestSupported.postgres) {
    return yield* new UnsupportedStore({
      store: "Postgres",
      found: postgres,
      wants: `${oldestSupported.postgres} or newer (DATABASE_URL)`,
    })
  }
  const redis = /(?:valkey|redis)_version:(\S+)/.exec(yield* redisInfo)?.[1] ?? ""
  if (majorOf(redis) < oldestSupported.redis) {
    return yield* new UnsupportedStore({
      store: "Redis",
      found: redis,
      wants: `${oldestSupported.redis} or newer (REDIS_URL)`,
    })
  }
})
