import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"

interface Node {
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Join Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly "Heap Fetches"?: number
  readonly Plans?: ReadonlyArray<Node>
}

/** Rows that all parts of a plan looked at: a measure of its work that does not depend on the machine. */
const rowsIn = (node: Node): number => {
  const perLoop =
    node["Actual Rows"] +
    (node["Rows Removed by Filter"] ?? 0) +
    (node["Rows Removed by Join Filter"] ?? 0) +
    (node["Rows Removed by Index Recheck"] ?? 0)
  return perLoop * node["Actual Loops"] + (node.Plans ?? []).reduce((sum, each) => sum + rowsIn(each), 0)
}

const textOf = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`
  if (!Array.isArray(value)) return String(value)
  const elements = value.map((each) => (each === null ? "null" : `"${textOf(each).replaceAll(/(["\\])/g, "\\$1")}"`))
  return `{${elements.join(",")}}`
}

const literal = (value: unknown): string => {
  if (value === null || value === undefined) return "null"
  return PgTypes.isParameter(value) ? literal(value.value) : `'${textOf(value).replaceAll("'", "''")}'`
}

const typeOf = (value: unknown): string => {
  if (PgTypes.isParameter(value)) return `${value.oid}`
  if (typeof value === "bigint") return `${PgTypes.OID.int8}`
  if (typeof value === "number") return `${Number.isInteger(value) ? PgTypes.OID.int4 : PgTypes.OID.float8}`
  if (typeof value === "boolean") return `${PgTypes.OID.bool}`
  if (value instanceof Date) return `${PgTypes.OID.timestamptz}`
  if (value instanceof Uint8Array) return `${PgTypes.OID.bytea}`
  return "705"
}

export type PlanMode = "auto" | "force_custom_plan" | "force_generic_plan"

class Undo extends Error {}

/**
 * The work of each run after five runs with the first parameters, when Postgres may begin to plan for average ones. The
 * effects of the runs are undone.
 */
export const workOf = (sql: SqlClient, text: string, runs: ReadonlyArray<ReadonlyArray<unknown>>, mode: PlanMode) =>
  Effect.gen(function* () {
    const [first = []] = runs
    const work: Array<number> = []
    yield* sql
      .withTransaction(
        Effect.gen(function* () {
          yield* sql.unsafe(`set local plan_cache_mode = ${mode}`)
          const types = first.length === 0 ? "" : `(${first.map(() => "%s").join(", ")})`
          const names = yield* sql.unsafe<{ name: string }>(
            `select format_type(t::oid, null) as name from unnest(array[${first.map(typeOf).join(", ")}]) with ordinality u(t, n) order by n`,
          )
          const signature = names.reduce((signed, { name }) => signed.replace("%s", name), types)
          yield* sql.unsafe(`prepare measured ${signature} as ${text}`)
          const call = (params: ReadonlyArray<unknown>) =>
            sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ readonly Plan: Node }> }>(
              `explain (analyze, timing off, summary off, format json) execute measured(${params.map(literal).join(", ")})`,
            )
          // A forced plan does not depend on how often it ran.
          const before = mode === "auto" ? [first, first, first, first, first] : []
          for (const params of before) yield* sql.withTransaction(call(params))
          for (const params of runs) {
            const [plan] = yield* call(params)
            work.push(rowsIn(plan?.["QUERY PLAN"][0]?.Plan as Node))
          }
          return yield* Effect.fail(new Undo())
        }).pipe(Effect.ensuring(Effect.ignore(sql.unsafe("deallocate measured")))),
      )
      .pipe(
        Effect.catchIf(
          (error) => error instanceof Undo,
          () => Effect.void,
        ),
      )
    return work
  })
