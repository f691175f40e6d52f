import * as NodeServices from "@effect/platform-node/NodeServices"
import { PgClient, PgMigrator } from "@effect/sql-pg"
import { Effect, type Redacted } from "effect"
import { Migrator } from "effect/unstable/sql"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { ExtensionMissing } from "./extension.ts"
import { withSchemaLock } from "./schemaLock.ts"
import { retryTransient } from "./sqlFailure.ts"

export type Migrations = Readonly<Record<string, Effect.Effect<void, unknown, SqlClient>>>

/** Migrates the schema over a separate connection without the service's timeouts; returns the applied migrations. */
export const migrate = (url: Redacted.Redacted<string>, migrations: Migrations) =>
  PgMigrator.run({ loader: Migrator.fromRecord(migrations), table: "migration" }).pipe(
    Effect.map((applied) => applied.map(([id, name]) => `${String(id).padStart(4, "0")}_${name}`)),
    // The migrator reports a failed migration as a defect.
    Effect.catchDefect((defect) =>
      defect instanceof Migrator.MigrationError && defect.cause instanceof ExtensionMissing
        ? Effect.fail(defect.cause)
        : Effect.die(defect),
    ),
    withSchemaLock(url),
    retryTransient("30 seconds"),
    Effect.provide(PgClient.layer({ url, applicationName: "presage migrate", maxConnections: 1 })),
    Effect.provide(NodeServices.layer),
  )
