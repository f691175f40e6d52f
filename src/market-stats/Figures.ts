import { Context, Duration, Effect, Layer, Schedule, Semaphore } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { type FigureRow, FigureTable, numberColumns } from "./FigureTable.ts"
import { countColumns, type Kind, kindOf } from "./model.ts"

/** All figures of one version. */
export interface LoadedFigures {
  readonly version: bigint
  readonly at: Date
  readonly tables: Readonly<Record<Kind, FigureTable>>
}

interface State {
  readonly version: bigint
  readonly at: Date
}

const bigColumns = new Set<string>([...countColumns.filter((column) => column.startsWith("usd")), "liquidity"])
const selected = [
  "scope",
  "neg_risk",
  "category",
  "tags",
  ...numberColumns.map((column) => (bigColumns.has(column) ? `${column}::float8 as ${column}` : column)),
].join(", ")

/** Rows of one statement, so that a large table does not keep the process from answering. */
const rowsPerRead = 2_000
const lookAgainAfter = Duration.seconds(2)

/** Copies the rows of versions after `since`, and returns the state that they are of. */
const copyRows = Effect.fnUntraced(function* (sql: SqlClient, tables: LoadedFigures["tables"], since: bigint) {
  yield* sql`set transaction isolation level repeatable read read only`
  const [state] = yield* sql<State>`select version, at from market_figure_state`
  for (let last = { version: since, scope: 2_147_483_647 }; ; ) {
    const rows = yield* sql<FigureRow & { readonly version: bigint }>`
      select version, ${sql.literal(selected)} from market_figure
      where (version, scope) > (${last.version}, ${last.scope}::int)
      order by version, scope limit ${rowsPerRead}`
    for (const row of rows) tables[kindOf(row.scope)].put(row)
    const end = rows.at(-1)
    if (end === undefined || rows.length < rowsPerRead) return state
    last = { version: end.version, scope: end.scope }
  }
})

/** The figures in the memory of this process. They follow those of the database within seconds. */
export class Figures extends Context.Service<
  Figures,
  {
    /** At least this version; undefined until figures are counted. */
    readonly atLeast: (version: bigint) => Effect.Effect<LoadedFigures | undefined, SqlError>
  }
>()("presage/market-stats/Figures") {
  static readonly layer = Layer.effect(
    Figures,
    Effect.gen(function* () {
      const { reads, exports } = yield* Postgres
      const turn = yield* Semaphore.make(1)
      const tables = { market: new FigureTable(), event: new FigureTable() }
      let loaded: LoadedFigures | undefined

      const load = (version: bigint) =>
        turn.withPermit(
          Effect.gen(function* () {
            if (loaded !== undefined && loaded.version >= version) return loaded
            const [newest] = yield* reads<State>`select version, at from market_figure_state`
            if (newest === undefined || newest.version === loaded?.version) return loaded
            const state = yield* exports.withTransaction(copyRows(exports, tables, loaded?.version ?? 0n))
            if (state !== undefined) loaded = { ...state, tables }
            return loaded
          }),
        )

      const follow = Effect.suspend(() =>
        loaded === undefined ? Effect.void : Effect.asVoid(load(loaded.version + 1n)),
      )
      yield* follow.pipe(
        Effect.catch((error) => Effect.logDebug(`figures of markets: ${describe(error)}`)),
        Effect.repeat(Schedule.spaced(lookAgainAfter)),
        Effect.forkScoped,
      )
      return Figures.of({
        atLeast: Effect.fn("Figures.atLeast")((version) =>
          Effect.suspend(() =>
            loaded !== undefined && loaded.version >= version ? Effect.succeed(loaded) : load(version),
          ),
        ),
      })
    }),
  )
}
