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
    select c.id, c.title, m.question, l.title as legs
    from condition c
      left join lateral (select question from market where condition = c.id order by id desc limit 1) m on true
      left join lateral (
        select string_agg(coalesce(leg.title, 'unlisted market'), ' + ' order by place) as title
        from combo b cross join lateral generate_series(1, length(b.legs), 32) place
        left join lateral (
          select n.question || ' (' || (n.outcomes ->> get_byte(b.legs, place + 30)) || ')' as title
          from condition_rename r join condition own on own.id = r.condition join market n on n.condition = r.legacy
          where own.hash = substr(b.legs, place, 31) || '\\x00'::bytea
          order by n.id desc limit 1) leg on true
        where b.condition = c.id
        having count(leg.title) > 0) l on true
    where c.title is distinct from coalesce(m.question, l.title)`
  return { tokens, conditions }
})

export const noDifferences = { tokens: [], conditions: [] }
