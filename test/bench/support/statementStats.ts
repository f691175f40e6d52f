import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import postgres from "postgres"

/** Settings of a Postgres that counts what it is asked, without definitions of tables. */
export const counting = {
  shared_preload_libraries: "pg_stat_statements",
  "pg_stat_statements.max": "10000",
  "pg_stat_statements.track_utility": "off",
}

export interface SlowStatement {
  readonly text: string
  readonly calls: number
  /** Milliseconds of the longest call. */
  readonly longest: number
}

/** The statements of a database since `forget`, the slowest first. Their counts are kept outside of it. */
export const statementStats = (databaseUrl: string) =>
  Effect.gen(function* () {
    const elsewhere = new URL(databaseUrl)
    elsewhere.pathname = "/postgres"
    const sql = yield* Effect.acquireRelease(
      Effect.sync(() => postgres(elsewhere.href, { max: 1, onnotice: () => {} })),
      (client) => Effect.promise(() => client.end()),
    )
    yield* Effect.promise(() => sql`create extension if not exists pg_stat_statements`)
    return {
      forget: Effect.promise(() => sql`select pg_stat_statements_reset()`),
      slowest: Effect.promise(
        () => sql<Array<SlowStatement>>`
          select regexp_replace(s.query, '\\s+', ' ', 'g') as text, s.calls::int as calls, s.max_exec_time as longest
          from pg_stat_statements s join pg_database d on d.oid = s.dbid
          where d.datname = ${new URL(databaseUrl).pathname.slice(1)}
          order by s.max_exec_time desc`,
      ),
    }
  })

/** Statements that Postgres has cancelled because they took too long, according to its log. They are not in its counts. */
export const cancelledIn = (dir: string) =>
  Effect.sync(
    () =>
      readFileSync(join(dir, "logs", "postgres.log"), "utf8").split("canceling statement due to statement timeout")
        .length - 1,
  )
