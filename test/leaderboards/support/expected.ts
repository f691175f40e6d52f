import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"

/** Scopes of every token, from the catalogue alone. */
const scoped = `
  select t.id as token, 'everything' as scope from token t
  union all
  select t.id, 'category ' || e.category
  from token t join market m on m.id = (select max(id) from market where condition = t.condition)
    join event e on e.id = m.event where t.outcome is not null and e.category <> ''
  union all
  select distinct t.id, 'tag ' || tag
  from token t join market m on m.id = (select max(id) from market where condition = t.condition)
    join event e on e.id = m.event, jsonb_array_elements_text(e.tags) tag where t.outcome is not null`

const named = (id: string) =>
  `case when ${id} = 0 then 'everything' else (select kind || ' ' || value from leaderboard_scope where id = ${id}) end`

const asText = `scope || ' ' || days || 'd ' || wallet || ': ' || concat_ws(' ', realized, profit, wins, losses, events)`

/** All stored and all expected rows of the rolling boards, in one snapshot. */
const comparison = `
  with state as (select block, at from leaderboard_state),
  scoped as (${scoped}),
  due as (
    select s.scope, d.days, e.wallet, sum(e.amount) as realized, sum(case when e.amount > 0 then e.amount else 0 end) as profit,
      sum((e.amount > 0)::int) as wins, sum((e.amount < 0)::int) as losses, count(*) as events
    from state, realized_event e join scoped s on s.token = e.token cross join (values (1), (7), (30)) d(days)
    where e.block <= state.block and e.at <= state.at and e.at > state.at - d.days * interval '24 hours'
    group by s.scope, d.days, e.wallet),
  shown as (
    select ${named("r.scope")} as scope, r.days, r.wallet, r.realized, r.profit, r.wins, r.losses, r.events
    from leaderboard_rolling r),
  due_counts as (select scope, days, count(*) as wallets from due group by scope, days),
  shown_counts as (select ${named("c.scope")} as scope, c.days, c.wallets from leaderboard_count c)
  select
    array(select ${asText} from due order by scope, days, wallet) as due,
    array(select ${asText} from shown order by scope, days, wallet) as shown,
    array(select concat_ws(' ', scope, days, wallets) from due_counts order by scope, days) as due_counts,
    array(select concat_ws(' ', scope, days, wallets) from shown_counts order by scope, days) as shown_counts`

/** Asserts that rolling boards and counts equal sums over all realized events as of their moment. Returns the number of rows. */
export const assertRollingExact = (what: string) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const [row] = yield* sql.unsafe<{
      due: ReadonlyArray<string>
      shown: ReadonlyArray<string>
      due_counts: ReadonlyArray<string>
      shown_counts: ReadonlyArray<string>
    }>(comparison)
    assert.isDefined(row)
    const [due, shown] = [new Set(row?.due), new Set(row?.shown)]
    const missing = [...due].filter((each) => !shown.has(each)).slice(0, 3)
    const wrong = [...shown].filter((each) => !due.has(each)).slice(0, 3)
    assert.deepStrictEqual({ missing, wrong }, { missing: [], wrong: [] }, what)
    assert.strictEqual(row?.shown.length, row?.due.length, what)
    assert.deepStrictEqual(row?.shown_counts, row?.due_counts, what)
    return row?.shown.length ?? 0
  })
