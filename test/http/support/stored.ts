import { Effect } from "effect"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"

/** Every row of every table, as text. */
export const everythingInPostgres = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const tables = yield* sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`
  const rows = yield* Effect.forEach(tables, ({ name }) =>
    sql.unsafe<{ row: string }>(`select t::text as row from ${name} t`),
  )
  return rows
    .flat()
    .map(({ row }) => row)
    .join("\n")
})

/** Every Redis key of ours with its value, as Redis dumps it. */
export const everythingInRedis = Effect.gen(function* () {
  const redis = yield* Redis
  const dump = async () => {
    // A key could hide in compressed data.
    await redis.commands.config("SET", "rdbcompression", "no")
    const keys = await redis.commands.keys(`${redis.prefix}:*`)
    const values = await Promise.all(keys.map((key) => redis.commands.dumpBuffer(key)))
    return keys.map((key, i) => `${key} ${values[i]?.toString("latin1") ?? ""}`).join("\n")
  }
  return yield* redis.run(dump)
})
