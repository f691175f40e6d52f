import { Effect, Schema } from "effect"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Figures } from "./figures.ts"

/** What one process last said about one source. */
export interface Account {
  readonly source: string
  /** Milliseconds, as is `since`. */
  readonly at: number
  readonly since: number
  readonly figures: Figures
}

/** Figures of processes that are gone count for a day; the last ones of a source stay until there are others. */
const keptFor = "1 day"

const upsert = bulkInsert<{ source: string; process: string; since: Date; figures: Figures }>({
  table: "source_status",
  columns: { source: "text", process: "text", since: "timestamptz", figures: "jsonb" },
  suffix: "on conflict (source, process) do update set at = now(), since = excluded.since, figures = excluded.figures",
})

const decodeFigures = Schema.decodeUnknownEffect(Figures)

/** The accounts that processes give of their sources. */
export const statusStore = Effect.gen(function* () {
  const { sql, reads } = yield* Postgres

  return {
    write: (process: string, since: number, sources: ReadonlyMap<string, Figures>) =>
      upsert(
        sql,
        [...sources].map(([source, figures]) => ({ source, process, since: new Date(since), figures })),
      ),

    forget: sql`
      delete from source_status old where at < now() - ${keptFor}::interval
      and exists (select 1 from source_status newer where newer.source = old.source and newer.at > old.at)`,

    /** All accounts and the moment of asking, by one clock. One that another version wrote in another form is left out. */
    read: Effect.gen(function* () {
      const rows = yield* reads<{ source: string; at: Date; since: Date; figures: unknown }>`
        select source, at, since, figures from source_status`
      const accounts = yield* Effect.forEach(rows, ({ source, at, since, figures }) =>
        Effect.match(decodeFigures(figures), {
          onFailure: (): ReadonlyArray<Account> => [],
          onSuccess: (known) => [{ source, at: at.getTime(), since: since.getTime(), figures: known }],
        }),
      )
      return accounts.flat()
    }),
  }
})
