import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { MarketRow } from "./rows.ts"

/** Markets that were announced, by the venue's own numbers. */
export const marketRowStore =
  ({ reads }: Postgres["Service"]) =>
  (ids: ReadonlyArray<number>) =>
    reads<MarketRow>`
      select m.id, encode(c.hash, 'hex') as condition, m.question, m.slug, m.image, m.outcomes, m.payouts, m.created_at,
        m.resolved_at, e.slug as event_slug, e.tags,
        array(select encode(t.hash, 'hex') from token t
          where t.condition = m.condition and t.outcome is not null order by t.outcome) as tokens
      from market m left join condition c on c.id = m.condition left join event e on e.id = m.event
      where m.id = any(${pgArray("int4", ids)})`
