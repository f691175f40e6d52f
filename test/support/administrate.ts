import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"

/** Runs a statement on whole databases. Uses a new client, because a pool whose scope is closing hangs when it opens a connection. */
export const administrate =
  (server: string) =>
  <A, E, R>(use: (sql: PgClient.PgClient) => Effect.Effect<A, E, R>) =>
    Effect.scoped(Effect.flatMap(PgClient.make({ url: Redacted.make(server), maxConnections: 1 }), use))
