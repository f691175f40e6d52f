import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"

const instants = <K extends string>(row: Readonly<Record<K, Date | null>>, names: ReadonlyArray<K>) =>
  Object.fromEntries(names.map((name) => [name, row[name]?.toISOString() ?? null]))

interface Dated {
  readonly created_at: Date | null
  readonly opens_at: Date | null
  readonly ends_at: Date | null
  readonly closed_at: Date | null
}
const times = ["created_at", "opens_at", "ends_at", "closed_at"] as const

/** The stored catalogue, in the format of `venueCatalogue`. */
export const storedCatalogue = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const events = yield* sql<Dated & { id: number }>`
    select e.id, e.slug, e.title, e.category, e.tags, e.series_slug, e.game, e.created_at, e.opens_at, e.ends_at,
      e.closed_at, e.closed, e.neg_risk, e.volume::text, e.liquidity::text, e.open_interest::text,
      g.score, g.period, g.status
    from event e left join game g on g.id = e.game order by e.id`
  const markets = yield* sql<Dated & { id: number }>`
    select m.id, m.event, encode(c.hash, 'hex') as condition,
      array(select encode(t.hash, 'hex') from token t where t.condition = m.condition order by t.outcome) as tokens,
      m.slug, m.question, m.group_title, m.outcomes, m.prices, m.created_at, m.ends_at, m.opens_at, m.closed_at,
      m.closed, m.accepting_orders, m.neg_risk, m.tick_size::text, m.fee_rate::text, m.price_asset, m.price_duration,
      m.sports_type, m.line::text, m.volume::text, m.liquidity::text, m.best_bid::text, m.best_ask::text,
      m.last_trade::text, (m.resolved_at is not null and m.payouts = m.prices) as resolved
    from market m left join condition c on c.id = m.condition order by m.id`
  const written = <R extends Dated>(row: R) => ({ ...row, ...instants(row, times) })
  return { events: events.map(written), markets: markets.map(written) }
})
