import { titleSql } from "#src/positions/positionSql.ts"

/**
 * Joins the condition `c`, its newest market `m` and its event `e` to rows `f` with the id of a condition, if they have one.
 * `t` is what the title of a combo is read of.
 */
export const marketJoins = (condition: string): string => `
  left join lateral (select ${condition} as condition) t on true
  left join condition c on c.id = t.condition
  left join lateral (
    select m.event, m.slug, m.image, m.outcomes, m.neg_risk from market m
    where m.condition = t.condition order by m.id desc limit 1) m on true
  left join event e on e.id = m.event`

export const marketColumns = `
  '0x' || encode(c.hash, 'hex') as condition, ${titleSql} as title, m.slug, m.image`

/** The outcomes of a row's `tokens`, in their order. */
export const redeemedOutcomesSql = `(
  select array_agg(o.outcome::int order by u.place) from unnest(f.tokens) with ordinality u(id, place)
  join token o on o.id = u.id)`
