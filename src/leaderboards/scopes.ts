import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { pgArray, unnest } from "#src/platform/sql/pgArray.ts"
import { everything, type Rescoping } from "./model.ts"
import { writeReplacement } from "./replace.ts"
import { makeSets, setScope, tokenSet } from "./scopeSets.ts"

/** Category and tags of events. */
const namesOf = (sql: SqlClient, ofEvents: Fragment) => sql`
  select e.id as event, s.kind, s.value
  from event e
  cross join lateral (
    select 'category' as kind, e.category as value where e.category <> ''
    union select 'tag', tag from jsonb_array_elements_text(e.tags) tag) s
  ${ofEvents}`

/** Scope ids of events; creates missing ones. */
const scopesOfEvents = Effect.fnUntraced(function* (sql: SqlClient, ofEvents: Fragment) {
  const named = namesOf(sql, ofEvents)
  yield* sql`
    insert into leaderboard_scope (kind, value)
    select distinct n.kind, n.value from (${named}) n
    where not exists (select from leaderboard_scope s where s.kind = n.kind and s.value = n.value)
    order by kind, value`
  return sql`select n.event, s.id as scope from (${named}) n join leaderboard_scope s using (kind, value)`
})

/** A condition that was listed twice uses its newest market. */
const eventsOfConditions = (sql: SqlClient, ofConditions: Fragment) => sql`
  select distinct on (m.condition) m.condition, m.event from market m
  where ${ofConditions} order by m.condition, m.id desc`

/** Rebuilds the scopes of every token from the whole catalogue. */
export const rescopeAll = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* sql`delete from leaderboard_rescoped`
  const scopes = yield* scopesOfEvents(sql, sql``)
  yield* makeSets(sql, scopes, eventsOfConditions(sql, sql`m.condition is not null`))
  yield* writeReplacement(
    sql,
    "leaderboard_token",
    sql`
      select t.token, s.scope from ${sql(tokenSet)} t join ${sql(setScope)} s using (set)
      where s.scope <> ${everything}::int4 order by token, scope`,
  )
})

/** Whether holders' tokens are counted as open although a late resolution says they were resolved by then. */
export const isResolutionLate = (sql: SqlClient, counted: number) =>
  Effect.map(
    sql`
      select 1 from leaderboard_rescoped n
      join resolution r on r.condition = n.condition and r.block <= ${counted}
      join token t on t.condition = n.condition
      where n.learnt and exists (select from position p where p.token = t.id and p.shares > 0) limit 1`,
    (found) => found.length > 0,
  )

/** Scope changes of tokens whose catalogue entry may have changed since the last refresh. */
export const takeRescopings = Effect.fnUntraced(function* (sql: SqlClient) {
  // Rows that arrive later are not visible to this transaction and stay for the next one.
  const rows = yield* sql<{ condition: number }>`delete from leaderboard_rescoped returning condition`
  if (rows.length === 0) return []
  const conditions = pgArray("int4", [...new Set(rows.map(({ condition }) => condition))])
  const ofConditions = sql`m.condition = any(${conditions})`
  const scopes = yield* scopesOfEvents(sql, sql`where e.id in (select m.event from market m where ${ofConditions})`)
  return yield* sql<Rescoping>`
    with now as (
      select t.id as token, s.scope
      from (${eventsOfConditions(sql, ofConditions)}) m
      join token t on t.condition = m.condition and t.outcome is not null
      join (${scopes}) s on s.event = m.event),
    before as (
      select b.token, b.scope from token t join leaderboard_token b on b.token = t.id
      where t.condition = any(${conditions}))
    select token, scope, 1 as sign from (select * from now except select * from before) comes
    union all
    select token, scope, -1 from (select * from before except select * from now) goes`
})

export const applyRescopings = Effect.fnUntraced(function* (sql: SqlClient, moves: ReadonlyArray<Rescoping>) {
  const listed = (sign: Rescoping["sign"]) => {
    const those = moves.filter((move) => move.sign === sign)
    return unnest(sql, "m", those, { token: ["int4", ({ token }) => token], scope: ["int4", ({ scope }) => scope] })
  }
  yield* sql`delete from leaderboard_token t using ${listed(-1)} where t.token = m.token and t.scope = m.scope`
  yield* sql`insert into leaderboard_token (token, scope) select m.token, m.scope from ${listed(1)}`
})
