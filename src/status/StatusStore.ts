import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { Measurements } from "./measurements.ts"

/** The last report of one process about one source. */
export interface ProcessReport {
  readonly source: string
  /** Milliseconds, as is `since`. */
  readonly at: number
  readonly since: number
  readonly measurements: Measurements
}

/** Reports of ended processes count for a day; the last report of a source stays until there is another one. */
const retention = "1 day"

const upsert = bulkInsert<{ source: string; process: string; since: Date; figures: Measurements }>({
  table: "source_status",
  columns: { source: "text", process: "text", since: "timestamptz", figures: "jsonb" },
  suffix: "on conflict (source, process) do update set at = now(), since = excluded.since, figures = excluded.figures",
})

const decodeMeasurements = Schema.decodeUnknownEffect(Measurements)

export const write = (sql: SqlClient, process: string, since: number, sources: ReadonlyMap<string, Measurements>) =>
  upsert(
    sql,
    [...sources].map(([source, figures]) => ({ source, process, since: new Date(since), figures })),
  )

export const deleteExpired = (sql: SqlClient) => sql`
  delete from source_status old where at < now() - ${retention}::interval
  and exists (select 1 from source_status newer where newer.source = old.source and newer.at > old.at)`

/** All reports, except those that another version wrote in another format. */
export const read = Effect.fnUntraced(function* (sql: SqlClient) {
  const rows = yield* sql<{ source: string; at: Date; since: Date; figures: unknown }>`
    select source, at, since, figures from source_status`
  const reports = yield* Effect.forEach(rows, ({ source, at, since, figures }) =>
    Effect.match(decodeMeasurements(figures), {
      onFailure: (): ReadonlyArray<ProcessReport> => [],
      onSuccess: (measurements) => [{ source, at: at.getTime(), since: since.getTime(), measurements }],
    }),
  )
  return reports.flat()
})
