import { Effect } from "effect"
import { dayMillis } from "#src/domain/time.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { allCoinNames } from "./coinNames.ts"
import { shortRecurrences } from "./intervals.ts"

/** An event row. Amounts and prices are integers in units of 10⁻⁶, chain ids hexadecimal digits. */
export interface EventRow {
  readonly id: number
  readonly slug: string
  readonly title: string
  readonly series_slug: string | null
  readonly starts_at: Date | null
  readonly ends_at: Date | null
  readonly active: boolean
  readonly closed: boolean
  readonly volume: bigint | null
  readonly volume_day: bigint | null
  readonly liquidity: bigint | null
  readonly open_interest: bigint | null
}

export interface MarketRow {
  readonly id: number
  readonly event: number
  readonly question: string
  readonly condition: string | null
  /** Token of the first outcome. */
  readonly token: string | null
  readonly outcomes: ReadonlyArray<string>
  readonly prices: ReadonlyArray<number>
  readonly volume: bigint | null
  readonly liquidity: bigint | null
  readonly active: boolean
  readonly closed: boolean
  readonly group_title: string | null
}

export interface EventWithMarkets extends EventRow {
  readonly markets: ReadonlyArray<MarketRow>
}

export interface SeriesRow {
  readonly id: number
  readonly slug: string
  readonly title: string
  readonly recurrence: string
  readonly active: boolean
  /** Null if older events of the series were never read. */
  readonly events: number | null
}

const isCrypto = JSON.stringify(["crypto"])

/** Crypto queries on the catalogue. Long lists use `sql`, so that short queries on `reads` do not wait behind them. */
export const listingStore = Effect.gen(function* () {
  const { sql, reads } = yield* Postgres

  const withMarkets = (events: ReadonlyArray<EventRow>) =>
    Effect.gen(function* () {
      if (events.length === 0) return []
      const rows = yield* sql<MarketRow>`
        select m.id, m.event, m.question, encode(c.hash, 'hex') as condition, encode(t.hash, 'hex') as token,
          m.outcomes, m.prices, m.volume, m.liquidity, m.active, m.closed, m.group_title
        from market m
        left join condition c on c.id = m.condition
        left join token t on t.id = (m.tokens ->> 0)::int
        where m.event = any(${pgArray("int4", events, ({ id }) => id)}) and not m.archived
        order by m.id`
      const byEvent = new Map(events.map(({ id }): [number, Array<MarketRow>] => [id, []]))
      for (const row of rows) byEvent.get(row.event)?.push(row)
      return events.map((event): EventWithMarkets => ({ ...event, markets: byEvent.get(event.id) ?? [] }))
    })

  return {
    /** Events with these slugs; the newest where a slug was reused. */
    named: (slugs: ReadonlyArray<string>) =>
      Effect.flatMap(
        reads<EventRow>`
          select distinct on (slug) id, slug, title, series_slug, coalesce(starts_at, created_at) as starts_at, ends_at,
            active, closed, volume, volume_day, liquidity, open_interest
          from event where slug = any(${pgArray("text", slugs)}) and not archived
          order by slug, id desc`,
        withMarkets,
      ),

    /** Open crypto events, short recurring ones only if they end within a day; highest 24-hour volume first. */
    open: (now: number) =>
      Effect.flatMap(
        sql<EventRow>`
          select e.id, e.slug, e.title, e.series_slug, coalesce(e.starts_at, e.created_at) as starts_at, e.ends_at,
            e.active, e.closed, e.volume, e.volume_day, e.liquidity, e.open_interest
          from event e left join series s on s.id = e.series
          where not e.closed and not e.archived
            and (e.tags @> ${isCrypto}::jsonb or e.category = 'crypto')
            and (s.recurrence is null or s.recurrence <> all(${pgArray("text", shortRecurrences)})
              or (e.ends_at > ${new Date(now)} and e.ends_at <= ${new Date(now + dayMillis)}))
          order by coalesce(e.volume_day, 0) desc, e.ends_at, e.id`,
        withMarkets,
      ),

    /** Recurring series whose newest event is about crypto, and series of the coins that have no event yet. */
    series: sql<SeriesRow>`
      select s.id, s.slug, s.title, s.recurrence, s.active,
        case when s.starts_at >= (select at from catalogue_progress where name = 'closed-since')
          then (select count(*)::int4 from event e where e.series = s.id) end as events
      from series s
      left join lateral (
        select e.tags @> ${isCrypto}::jsonb as is_crypto from event e where e.series = s.id order by e.ends_at desc limit 1
      ) newest on true
      where s.recurrence is not null and not s.closed
        and coalesce(newest.is_crypto, split_part(s.slug, '-', 1) = any(${pgArray("text", allCoinNames)}))`,

    /** When a catalogue duty last completed, in milliseconds; null before its first run. */
    completedAt: (duty: string) =>
      Effect.map(
        reads<{ at: bigint | null }>`
          select greatest(
            (select max(greatest((figures -> 'moments' ->> ${duty})::float8, (figures -> 'moments' ->> 'first load')::float8))
              from source_status where source = 'catalogue'),
            (select extract(epoch from at)::float8 * 1000 from catalogue_progress where name = 'first-load'))::int8 as at`,
        ([row]) => (row === undefined || row.at === null ? null : Number(row.at)),
      ),
  }
})
