import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Postgres } from "#src/platform/sql/Postgres.ts"

interface Row {
  readonly fingerprint: Uint8Array
}

/** Which secrets this database was set up with, if any. */
export const find = ({ sql }: Postgres["Service"]) =>
  Effect.map(sql<Row>`select fingerprint from secret_fingerprint`, ([row]) => row?.fingerprint)

/** Writes down ours where there is none; answers with the one that counts, which is another's if that was quicker. */
export const agree = ({ sql }: Postgres["Service"], ours: Uint8Array) =>
  Effect.map(
    sql<Row>`
      insert into secret_fingerprint (fingerprint) values (${ours})
      on conflict (single) do update set fingerprint = secret_fingerprint.fingerprint
      returning fingerprint`,
    ([row]) => row?.fingerprint ?? ours,
  )

/** Whether our secrets are still those that count. */
export const isOurs = (sql: SqlClient, ours: Uint8Array) =>
  Effect.map(sql`select 1 from secret_fingerprint where fingerprint = ${ours}`, (rows) => rows.length > 0)

/** Forgets which secrets they were: what was made with them is lost. */
export const forget = ({ sql }: Postgres["Service"]) => sql`delete from secret_fingerprint`
