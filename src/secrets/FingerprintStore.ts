import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"

interface Row {
  readonly fingerprint: Uint8Array
}

/** Fingerprint of the secrets this database was set up with, if any. */
export const find = (sql: SqlClient) =>
  Effect.map(sql<Row>`select fingerprint from secret_fingerprint`, ([row]) => row?.fingerprint)

/** Stores ours if there is none; returns the stored one, which may be another process's. */
export const agree = (sql: SqlClient, ours: Uint8Array) =>
  Effect.map(
    sql<Row>`
      insert into secret_fingerprint (fingerprint) values (${ours})
      on conflict (single) do update set fingerprint = secret_fingerprint.fingerprint
      returning fingerprint`,
    ([row]) => row?.fingerprint ?? ours,
  )

/** Whether the database still uses our secrets. */
export const isOurs = (sql: SqlClient, ours: Uint8Array) =>
  Effect.map(sql`select 1 from secret_fingerprint where fingerprint = ${ours}`, (rows) => rows.length > 0)

/** Removes the fingerprint: keys made with those secrets become unusable. */
export const forget = (sql: SqlClient) => sql`delete from secret_fingerprint`
