import { unlistedLeg } from "#src/feed/combos/comboNames.ts"

/** The title of the combo that a token `t` belongs to, as `comboTitle` makes it of the legs; null if there is none. */
export const comboTitleSql = `(
  select string_agg(coalesce(leg.title, '${unlistedLeg}'), ' + ' order by place.n)
  from (select legs from combo where condition = t.condition limit 1) b
  cross join lateral generate_series(0, length(b.legs) / 32 - 1) place(n)
  left join lateral (
    select l.question || ' (' || (l.outcomes ->> get_byte(b.legs, place.n * 32 + 31)) || ')' as title
    from condition c join condition_rename n on n.condition = c.id join market l on l.condition = n.legacy
    where c.hash = substr(b.legs, place.n * 32 + 1, 31) || decode('00', 'hex')
    order by l.id desc limit 1) leg on true
  having count(leg.title) > 0)`
