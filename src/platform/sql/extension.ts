import { Effect, Schema } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"
import { exitCodes } from "../process/exitCodes.ts"

/** The server does not have the extension, or this role may not create it. */
export class ExtensionMissing extends Schema.TaggedError<ExtensionMissing>()("ExtensionMissing", {
  extension: Schema.String,
  cause: Schema.Defect(),
}) {
  readonly exitCode = exitCodes.storeUnavailable
  override get message() {
    return `This database cannot have the extension ${this.extension}, which Presage needs. Install the contrib package of your Postgres and run "create extension ${this.extension}" in the database as its owner or a superuser; then start again.`
  }
}

/** Creates a trusted extension of Postgres, unless it exists. */
export const createExtension = (extension: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.mapError(
      sql`create extension if not exists ${sql(extension)}`,
      (cause) => new ExtensionMissing({ extension, cause }),
    ),
  )
