import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"

/** Does something about whole databases. A client each: a pool whose own scope is closing hangs when it has to open a connection. */
export const administrate =
  (server: string) =>
  <A, E>(use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
    Effect.scoped(Effect.flatMap(PgClient.make({ url: Redacted.make(server), maxConnections: 1 }), use))
