import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { growingCache } from "#src/platform/growingCache.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"

/** Reads or creates the ids of names. Names are lower-case hexadecimal digits. */
export type IdsOf<Details = void> = (
  names: Iterable<string>,
  details?: Details,
) => Effect.Effect<ReadonlyMap<string, number>, SqlError>

/** Ids that a process caches, of each kind. */
const maxCached = 60_000

/** A further column of new rows, and its value for each name. */
type ExtraColumn = readonly [column: string, values: ReturnType<typeof pgArray>]

interface IdRow {
  readonly id: number
  readonly name: Uint8Array
  readonly created: boolean
}

/** A request with this many uncached names belongs to a backfill. */
const backfillNames = 100

const idsIn = <Details = void>(
  sql: SqlClient,
  table: string,
  column: string,
  extraColumns: (names: ReadonlyArray<string>, details?: Details) => ReadonlyArray<ExtraColumn> = () => [],
) => {
  const cache = growingCache<string, number>(maxCached)
  const [into, named] = [sql(table), sql(column)]
  const given = (names: ReadonlyArray<string>, details?: Details) => {
    const hashes = pgArray("bytea", names, (name) => Buffer.from(name, "hex"))
    const columns: ReadonlyArray<ExtraColumn> = [[column, hashes], ...extraColumns(names, details)]
    const stored = sql.csv(columns.map(([name]) => sql`${sql(name)}`))
    return { stored, rows: sql.csv(columns.map(([name, values]) => sql`unnest(${values}) as ${sql(name)}`)) }
  }
  // Ids outlive the transaction that needs them, so neither statement is part of one.
  const readOrCreate = ({ stored, rows }: ReturnType<typeof given>) => sql<IdRow>`
    with given as (select ${rows}),
    there as (select t.id, g.${named} from given g join ${into} t on t.${named} = g.${named}),
    made as (
      insert into ${into} (${stored}) select ${stored} from given where ${named} not in (select ${named} from there)
      on conflict do nothing returning id, ${named})
    select id, ${named} as name, false as created from there union all select id, ${named}, true from made`
  const create = ({ stored, rows }: ReturnType<typeof given>) => sql<IdRow>`
    insert into ${into} (${stored}) select ${stored} from (select ${rows}) given
    on conflict do nothing returning id, ${named} as name, true as created`

  // Reading first takes as long as creating. If most names of a backfill's request were new, the next ones are too, and are
  // created without a read. Otherwise a read comes first, because an insert consumes an id for every existing name.
  let mostAreNew = false
  const idsOf: IdsOf<Details> = (names, details) =>
    Effect.gen(function* () {
      const found = new Map<string, number>()
      let missing: Array<string> = []
      for (const name of new Set(names)) {
        const id = cache.get(name)
        if (id === undefined) missing.push(name)
        else found.set(name, id)
      }
      // One order for all, or two processes that create the same names deadlock.
      missing.sort()
      const requested = missing.length
      const isBackfill = requested >= backfillNames
      // Repeats for names that another process was creating, and for existing ones that were taken for new.
      while (missing.length > 0) {
        const isFirst = missing.length === requested
        const rows = yield* (isFirst && isBackfill && mostAreNew ? create : readOrCreate)(given(missing, details))
        for (const row of rows) {
          // A new string: the requested name is a slice of a whole log, which the cache would keep alive.
          const name = Buffer.from(row.name).toString("hex")
          found.set(name, row.id)
          cache.set(name, row.id)
        }
        if (isFirst && isBackfill) mostAreNew = rows.filter((row) => row.created).length > 0.9 * requested
        missing = missing.filter((name) => !found.has(name))
      }
      return found
    })
  return idsOf
}

/** The id of a token's condition, and the index of its outcome. */
export interface TokenOutcome {
  readonly condition: number
  readonly outcome: number
}

/** The outcomes of all tokens of some conditions, by token. */
export const tokenOutcomes = (conditions: Iterable<readonly [condition: number, tokens: ReadonlyArray<string>]>) => {
  const outcomes = new Map<string, TokenOutcome>()
  for (const [condition, tokens] of conditions) {
    tokens.forEach((token, outcome) => {
      outcomes.set(token, { condition, outcome })
    })
  }
  return outcomes
}

/** New tokens are stored with their outcome: an update afterwards takes longer than everything else. */
const outcomeColumns = (
  names: ReadonlyArray<string>,
  outcomes?: ReadonlyMap<string, TokenOutcome>,
): ReadonlyArray<ExtraColumn> => {
  const column = (type: "int4" | "int2", read: (outcome: TokenOutcome) => number) => {
    const each = names.map((name) => outcomes?.get(name))
    return pgArray(type, each, (outcome) => (outcome === undefined ? null : read(outcome)))
  }
  return [
    ["condition", column("int4", ({ condition }) => condition)],
    ["outcome", column("int2", ({ outcome }) => outcome)],
  ]
}

/** Small ids of wallets, tokens, conditions and builders. Other tables refer to them by id. */
export class Dictionary extends Context.Service<
  Dictionary,
  {
    /** Addresses, 40 digits. */
    readonly wallets: IdsOf
    /** Token ids, 64 digits; the details are the known outcomes of new tokens. */
    readonly tokens: IdsOf<ReadonlyMap<string, TokenOutcome>>
    /** Condition ids, 64 digits. */
    readonly conditions: IdsOf
    /** Builder codes, 64 digits. */
    readonly builders: IdsOf
  }
>()("presage/dictionary/Dictionary") {
  static readonly layer = Layer.effect(
    Dictionary,
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      return Dictionary.of({
        wallets: idsIn(sql, "wallet", "address"),
        tokens: idsIn(sql, "token", "hash", outcomeColumns),
        conditions: idsIn(sql, "condition", "hash"),
        builders: idsIn(sql, "builder", "code"),
      })
    }),
  )
}
