import { Effect, Schema } from "effect"
import { exitCodes } from "./process/exitCodes.ts"
import { Redis } from "./redis/Redis.ts"
import { Postgres } from "./sql/Postgres.ts"

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

export const postgresVersion = Effect.flatMap(Postgres, ({ sql }) =>
  Effect.map(
    sql<{ version: string }>`select current_setting('server_version') as version`,
    ([row]) => row?.version ?? "",
  ),
)

export const redisVersion = Effect.flatMap(Redis, ({ run }) =>
  Effect.map(
    run((client) => client.info("server")),
    (info) => /(?:valkey|redis)_version:(\S+)/.exec(info)?.[1] ?? "",
  ),
)

/** The oldest major versions that work. */
export const oldest = { postgres: 15, redis: 7 } as const

const major = (version: string) => Number.parseInt(version, 10)

/** Refuses stores that are too old to work, before anything is written to them. */
export const checkStoreVersions = Effect.gen(function* () {
  const postgres = yield* postgresVersion
  if (major(postgres) < oldest.postgres) {
    return yield* new UnsupportedStore({
      store: "Postgres",
      found: postgres,
      wants: `${oldest.postgres} or newer (DATABASE_URL)`,
    })
  }
  const redis = yield* redisVersion
  if (major(redis) < oldest.redis) {
    return yield* new UnsupportedStore({ store: "Redis", found: redis, wants: `${oldest.redis} or newer (REDIS_URL)` })
  }
  return { postgres, redis }
})
