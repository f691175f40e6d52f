import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"

/** Tokens and conditions whose kept columns differ from the resolutions and markets that they are taken from. */
export const keptDifferences = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const tokens = yield* sql`
    select t.id, t.resolved_at, t.payout, t.event, r.at, r.payouts, m.event as listed
    from token t left join resolution r on r.condition = t.condition
      left join lateral (select event from market where condition = t.condition order by id desc limit 1) m on true
    where t.resolved_at is distinct from r.at or t.event is distinct from m.event
      or t.payout is distinct from case when r.condition is not null then
        round(1000000.0 * coalesce(r.payouts[t.outcome + 1], 0) / (select sum(part) from unnest(r.payouts) part))::int end`
  const conditions = yield* sql`
    select c.id, c.title, m.question
    from condition c
      left join lateral (select question from market where condition = c.id order by id desc limit 1) m on true
    where c.title is distinct from m.question`
  return { tokens, conditions }
})

export const noDifferences = { tokens: [], conditions: [] }
