import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import type { KeptScope } from "#src/leaderboards/BoardQuery.ts"
import { everything } from "#src/leaderboards/model.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { Within } from "./model.ts"

/** The number of a scope; null if it never had a board. */
export const scopeNumber = (sql: SqlClient, scope: KeptScope) =>
  scope.kind === "everything"
    ? sql.literal(String(everything))
    : sql`(select id from leaderboard_scope where kind = ${scope.kind} and value = ${scope.value})`

/** Whether the boards count a token in a scope. */
export const isCounted = (sql: SqlClient, scope: KeptScope, token: string) =>
  scope.kind === "everything"
    ? sql`true`
    : sql`exists (
        select from leaderboard_token l where l.token = ${sql.literal(token)} and l.scope = ${scopeNumber(sql, scope)})`

/** Whether a token belongs to a scope by the catalogue. */
const isListed = (sql: SqlClient, scope: KeptScope, token: string) => {
  if (scope.kind === "everything") return sql`true`
  const events =
    scope.kind === "category"
      ? sql`e.category = ${scope.value}`
      : sql`e.tags @> ${JSON.stringify([scope.value])}::jsonb`
  return sql`${sql.literal(token)} in (
    select t.id from event e join token t on t.event = e.id where t.outcome is not null and ${events})`
}

/** Whether a token belongs to what is added up, by the catalogue. */
export const isWithin = (sql: SqlClient, within: Within, token: string): Fragment =>
  within.kind === "tokens"
    ? sql`${sql.literal(token)} = any(${pgArray("int4", within.tokens)})`
    : isListed(sql, within, token)
