import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { everything } from "./model.ts"

/**
 * Many tokens share the same set of scopes. A rebuild first sums by set and then adds each sum to the scopes of its set.
 * These are ordinary tables, because parallel workers cannot read temporary ones; they are dropped before the commit.
 */
export const tokenSet = "leaderboard_token_set"
export const setScope = "leaderboard_set_scope"
const eventSet = "leaderboard_event_set"
/** The set of tokens without scopes. */
const noScopes = 0

/** Every token has one set, and every set includes the scope of all markets. */
export const makeSets = Effect.fnUntraced(function* (sql: SqlClient, scopesOfEvents: Fragment, events: Fragment) {
  yield* sql`
    create table ${sql(eventSet)} as
    select event, scopes, (dense_rank() over (order by scopes))::int4 as set
    from (select event, array_agg(scope order by scope) as scopes from (${scopesOfEvents}) s group by event) e`
  yield* sql`
    create table ${sql(setScope)} as
    select set, unnest(${everything}::int4 || scopes) as scope from (select distinct set, scopes from ${sql(eventSet)}) s
    union all select ${noScopes}::int4, ${everything}::int4`
  yield* sql`
    create table ${sql(tokenSet)} as
    select t.id as token, coalesce(e.set, ${noScopes}::int4) as set
    from token t
    left join (${events}) m on m.condition = t.condition and t.outcome is not null
    left join ${sql(eventSet)} e on e.event = m.event`
  for (const table of [setScope, tokenSet]) yield* sql`analyze ${sql(table)}`
})

export const dropSets = Effect.fnUntraced(function* (sql: SqlClient) {
  for (const table of [eventSet, setScope, tokenSet]) yield* sql`drop table ${sql(table)}`
})
