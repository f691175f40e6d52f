import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted } from "effect"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"

/** Advisory lock of whoever brings a schema up to date. */
const schemaLock = 0x70726575

/**
 * Processes that start together on a new database trip over each other: each sees no table of migrations
 * and creates it, and all but one fail. So they take turns, by a lock on a connection of its own.
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
