import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted } from "effect"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"

/** Advisory lock for schema changes. */
const schemaLock = 0x70726575

/**
 * Serialises schema changes with a lock on a separate connection. Without it, processes that start together on a new
 * database all try to create the migration table, and all but one fail.
 */
export const withSchemaLock =
  (url: Redacted.Redacted<string>) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    PgClient.make({ url, applicationName: "presage start", maxConnections: 1 }).pipe(
      Effect.flatMap((sql) =>
        sql.withTransaction(Effect.andThen(sql`select pg_advisory_xact_lock(${schemaLock})`, work)),
      ),
      Effect.scoped,
      Effect.provide(Reactivity.layer),
    )
