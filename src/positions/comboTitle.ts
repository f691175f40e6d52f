import { unlistedLeg } from "#src/feed/combos/comboNames.ts"

/**
 * Joins the title of the combo that a token `t` belongs to, as `comboTitle` makes it of the legs, as `combo`; only where
 * there is no market `m`.
 */
export const comboJoin = `
  left join lateral (
    select string_agg(coalesce(leg.title, '${unlistedLeg}'), ' + ' order by place.n) as title
    from (select legs from combo where condition = t.condition and m.slug is null limit 1) b
    cross join lateral generate_series(0, length(b.legs) / 32 - 1) place(n)
    left join lateral (
      select l.question || ' (' || (l.outcomes ->> get_byte(b.legs, place.n * 32 + 31)) || ')' as title
      from condition c join condition_rename n on n.condition = c.id join market l on l.condition = n.legacy
      where c.hash = substr(b.legs, place.n * 32 + 1, 31) || decode('00', 'hex')
      order by l.id desc limit 1) leg on true
    having count(leg.title) > 0) combo on true`
