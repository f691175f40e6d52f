import { execFile, spawnSync } from "node:child_process"
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { table } from "../support/fills.ts"

const connectionEnvironment = (databaseUrl: string) => {
  const url = new URL(databaseUrl)
  return {
    ...process.env,
    PGHOST: url.hostname,
    PGPORT: url.port,
    PGUSER: url.username,
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: url.pathname.slice(1),
  }
}

const psqlCopy = (databaseUrl: string, file: string) =>
  Effect.callback<void, Error>((resume) => {
    const command = `\\copy ${table} from '${file}' csv`
    const child = execFile(
      "psql",
      ["--no-psqlrc", "--quiet", "--command", command],
      { env: connectionEnvironment(databaseUrl) },
      (error) => resume(error === null ? Effect.void : Effect.fail(error)),
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** COPY, which does no work in JavaScript: through psql, or from a file on the server if psql is missing. */
export const copier = (databaseUrl: string, sql: PgClient.PgClient) => {
  const hasPsql = spawnSync("psql", ["--version"]).status === 0
  return {
    name: hasPsql ? "psql \\copy" : "COPY from a file",
    note: hasPsql ? undefined : "psql is not installed: compared to COPY from a file on the server instead",
    copy: (file: string): Effect.Effect<unknown, unknown> =>
      hasPsql ? psqlCopy(databaseUrl, file) : sql.unsafe(`copy ${table} from '${file}' csv`),
  }
}
