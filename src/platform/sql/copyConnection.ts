import { Effect, Redacted } from "effect"
import { SqlError, UnknownError } from "effect/unstable/sql/SqlError"
import pg from "pg"
import { from as copyFrom } from "pg-copy-streams"
import { BulkCopy } from "./BulkCopy.ts"
import type { Columns } from "./bulkColumns.ts"
import { copyRows } from "./copyRows.ts"
import { Postgres } from "./Postgres.ts"

/** Rows that are encoded at once: the event loop stays free, and Postgres gets its first rows early. */
const rowsPerChunk = 2_000
/** Bytes that may wait for Postgres, so that further rows are encoded meanwhile. */
const highWaterMark = 4 << 20
const sessionOptions = "-c timezone=UTC -c statement_timeout=0 -c idle_in_transaction_session_timeout=60000"

const failed = (cause: unknown) => new SqlError({ reason: new UnknownError({ cause, message: "Query failed" }) })

const connect = (url: Redacted.Redacted | undefined) =>
  Effect.tryPromise({
    try: async () => {
      const client = new pg.Client({
        connectionString: url === undefined ? undefined : Redacted.value(url),
        application_name: "presage copy",
        keepAlive: true,
        options: sessionOptions,
      })
      // Otherwise a connection lost between two statements would end the process; the next statement reports it.
      client.on("error", () => undefined)
      await client.connect()
      return client
    },
    catch: failed,
  })

/** A connection that can COPY, which those of sql-pg cannot. It closes with the scope. */
export const copyConnection = Effect.gen(function* () {
  const { url } = (yield* Postgres).sql.config
  const client = yield* Effect.acquireRelease(connect(url), (connected) =>
    Effect.promise(() => connected.end().catch(() => undefined)),
  )

  const query = <Row extends object>(text: string, values: ReadonlyArray<unknown> = []) =>
    Effect.tryPromise({
      try: async () => (await client.query<Row & pg.QueryResultRow>(text, [...values])).rows as ReadonlyArray<Row>,
      catch: failed,
    })

  /** Runs `work` in a transaction. */
  const tx = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    query("begin").pipe(
      Effect.andThen(work),
      Effect.tap(() => query("commit")),
      Effect.onError(() => Effect.ignore(query("rollback"))),
    )

  /** Writes rows with COPY. */
  const copy = <A, C>(table: string, into: Columns<A, C>, items: ReadonlyArray<A>, context: C) => {
    if (items.length === 0) return Effect.void
    return Effect.tryPromise({
      try: () =>
        new Promise<void>((resolve, reject) => {
          const { columns, header, encode, trailer } = copyRows(into)
          const text = `copy "${table}" (${columns}) from stdin (format binary)`
          const stream = client.query(copyFrom(text, { highWaterMark }))
          stream.once("error", reject)
          stream.once("finish", resolve)
          stream.write(header)
          let next = 0
          const writeOn = () => {
            try {
              while (next < items.length) {
                const rows = items.slice(next, next + rowsPerChunk)
                next += rowsPerChunk
                if (!stream.write(encode(rows, context))) return void stream.once("drain", writeOn)
              }
              stream.end(trailer)
            } catch (error) {
              stream.destroy(error as Error)
            }
          }
          writeOn()
        }),
      catch: failed,
    })
  }

  return { query, tx, bulk: BulkCopy.of({ copy }) }
})

export type CopyConnection = Effect.Success<typeof copyConnection>
