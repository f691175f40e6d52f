import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { allCoinNames } from "./coinNames.ts"
import { shortRecurrences } from "./intervals.ts"

/** An event as the tables have it. Amounts and chances are whole numbers of 10⁻⁶, names on the chain hexadecimal digits. */
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
  /** Of the first outcome. */
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
  readonly events: number
}

const dayMillis = 86_400_000
const isCrypto = JSON.stringify(["crypto"])

/** What the catalogue tells about crypto. Lists are long, so they do not go where short reads would wait behind them. */
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
    /** Those of the events by name that the catalogue has; the newest where a name was used twice. */
    named: (slugs: ReadonlyArray<string>) =>
      Effect.flatMap(
        reads<EventRow>`
          select distinct on (slug) id, slug, title, series_slug, coalesce(starts_at, created_at) as starts_at, ends_at,
            active, closed, volume, volume_day, liquidity, open_interest
          from event where slug = any(${pgArray("text", slugs)}) and not archived
          order by slug, id desc`,
        withMarkets,
      ),

    /** Open events about crypto that last, and the short ones that end within a day; those most traded of late first. */
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

    /** What comes again and again: series whose newest event is about crypto, and those of the coins without any event. */
    series: sql<SeriesRow>`
      select s.id, s.slug, s.title, s.recurrence, s.active,
        (select count(*)::int4 from event e where e.series = s.id) as events
      from series s
      left join lateral (
        select e.tags @> ${isCrypto}::jsonb as is_crypto from event e where e.series = s.id order by e.ends_at desc limit 1
      ) newest on true
      where s.recurrence is not null and not s.closed
        and coalesce(newest.is_crypto, split_part(s.slug, '-', 1) = any(${pgArray("text", allCoinNames)}))`,

    /** When the catalogue was last brought up to date in a way, in milliseconds; null before anybody has said so. */
    doneAt: (duty: string) =>
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
