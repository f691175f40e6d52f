import { Effect } from "effect"
import type { CatalogueEvent, Market } from "#src/domain/Catalogue.ts"
import { EventLog, type NewEvent } from "#src/mesh/EventLog.ts"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventColumns, eventRow, type MarketNumbers, marketColumns, marketRow } from "./rows.ts"
import { upsert } from "./upsert.ts"

const upsertEvents = upsert("event", eventColumns)
const upsertMarkets = upsert("market", marketColumns)

/** What a write changed. */
export interface Written {
  readonly events: number
  readonly markets: number
  readonly created: number
  readonly resolved: number
}

export interface WriteOptions {
  /** The moment of writing. */
  readonly now: number
  /** What happened before is not announced: the log would not keep it either. */
  readonly announceAfter: number
  /** By how many millionths a price must differ to be noted. */
  readonly threshold: number
}

/** Everything that is written and read about events and markets. */
export const catalogueStore = Effect.gen(function* () {
  const { sql, reads } = yield* Postgres
  const log = yield* EventLog

  const linkTokens = (markets: ReadonlyArray<Market>, numbers: ReadonlyMap<number, MarketNumbers>) => {
    const links = markets.flatMap(({ id }) => {
      const { condition, tokens } = numbers.get(id) ?? { condition: null, tokens: [] }
      return condition === null ? [] : tokens.map((token, outcome) => ({ token, condition, outcome }))
    })
    return sql`
      update token t set condition = n.condition, outcome = n.outcome
      from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) n(token int, condition int, outcome int)
      where t.id = n.token and (t.condition, t.outcome) is distinct from (n.condition, n.outcome::smallint)`
  }

  /** Results stand once they are known, so that each is announced once. */
  const settle = (markets: ReadonlyArray<Market>, now: number) => {
    const results = markets.flatMap(({ id, payouts, closedAt }) =>
      payouts === null ? [] : [{ id, payouts, at: new Date(closedAt ?? now).toISOString() }],
    )
    return sql<{ id: number; resolved_at: Date }>`
      update market m set payouts = n.payouts, resolved_at = n.at
      from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) n(id int, payouts jsonb, at timestamptz)
      where m.id = n.id and m.resolved_at is null
      returning m.id, m.resolved_at`
  }

  const note = bulkInsert<{
    market: number
    at: Date
    best_bid: number | null
    best_ask: number | null
    last_trade: number | null
    prices: ReadonlyArray<number>
  }>({
    table: "market_history",
    columns: {
      market: "int4",
      at: "timestamptz",
      best_bid: "int4",
      best_ask: "int4",
      last_trade: "int4",
      prices: "jsonb",
    },
    suffix: "on conflict do nothing",
  })

  /** Compared with what was noted last and not with what was seen last, so that a slow drift shows as well. */
  const noteHistory = (markets: ReadonlyArray<Market>, { now, threshold }: WriteOptions) =>
    Effect.gen(function* () {
      if (markets.length === 0) return
      const noted = yield* sql<Noted>`
        select m.id as market, h.best_bid, h.best_ask, h.last_trade, h.prices
        from unnest(${markets.map(({ id }) => id)}::int[]) m(id)
        cross join lateral (select * from market_history h where h.market = m.id order by h.at desc limit 1) h`
      const last = new Map(noted.map((row) => [row.market, row]))
      const far = (a: number | null, b: number | null) =>
        a === null || b === null ? a !== b : Math.abs(a - b) >= Math.max(1, threshold)
      const isNews = (market: Market) => {
        const before = last.get(market.id)
        if (before === undefined) return true
        return (
          far(before.best_bid, market.bestBid) ||
          far(before.best_ask, market.bestAsk) ||
          far(before.last_trade, market.lastTrade) ||
          before.prices.length !== market.prices.length ||
          market.prices.some((price, place) => far(price, before.prices[place] ?? null))
        )
      }
      yield* note(
        sql,
        markets.filter(isNews).map(({ id, bestBid, bestAsk, lastTrade, prices }) => ({
          market: id,
          at: new Date(now),
          best_bid: bestBid,
          best_ask: bestAsk,
          last_trade: lastTrade,
          prices,
        })),
      )
    })

  /** Writes what differs, and announces markets that are new or decided; call it inside a transaction. */
  const write = (
    events: ReadonlyArray<CatalogueEvent>,
    markets: ReadonlyArray<Market>,
    numbers: ReadonlyMap<number, MarketNumbers>,
    options: WriteOptions,
  ) =>
    Effect.gen(function* () {
      const changedEvents = yield* upsertEvents(sql, events.map(eventRow))
      const rows = markets.map((market) => marketRow(market, numbers.get(market.id) ?? { condition: null, tokens: [] }))
      const changed = yield* upsertMarkets(sql, rows)
      const byId = new Map(markets.map((market) => [market.id, market]))
      const touched = changed.flatMap(({ id }) => byId.get(id) ?? [])
      if (touched.length > 0) yield* linkTokens(touched, numbers)
      const resolved = yield* settle(markets, options.now)
      yield* noteHistory(touched, options)

      const created = changed.flatMap(({ id, inserted }) => (inserted ? [id] : []))
      const announcement = (kind: string, id: number): NewEvent => ({ kind, ref: BigInt(id), data: { market: id } })
      const isRecent = (at: number | null | undefined) => (at ?? options.now) >= options.announceAfter
      const news = [
        ...created.map((id) => ({ at: byId.get(id)?.createdAt, event: announcement("market_created", id) })),
        ...resolved.map(({ id, resolved_at }) => ({
          at: resolved_at.getTime(),
          event: announcement("market_resolved", id),
        })),
      ]
      yield* log.append(news.filter(({ at }) => isRecent(at)).map(({ event }) => event))
      return {
        events: changedEvents.length,
        markets: changed.length,
        created: created.length,
        resolved: resolved.length,
      }
    })

  const idsOf = (rows: ReadonlyArray<Identified>) => rows.map(({ id }) => id)
  const among = <E>(ids: ReadonlyArray<number>, found: Effect.Effect<ReadonlyArray<Identified>, E>) =>
    ids.length === 0 ? Effect.succeed(new Set<number>()) : Effect.map(found, (rows) => new Set(idsOf(rows)))

  return {
    write,

    /** Those of the events that are already there. */
    knownEvents: (ids: ReadonlyArray<number>) =>
      among(ids, reads<Identified>`select id from event where id = any(${ids}::int[])`),

    /** Those of the markets of which it is known that they are closed. */
    knownClosed: (ids: ReadonlyArray<number>) =>
      among(ids, reads<Identified>`select id from market where id = any(${ids}::int[]) and closed`),

    /** Events that were open when last seen, and those with a closed market whose result is still awaited. */
    awaited: (closedSince: number) =>
      Effect.map(
        reads<Identified>`
          select id from event where not closed and not archived
          union
          select event from market
          where closed and resolved_at is null and event is not null and closed_at >= ${new Date(closedSince)}
          order by id`,
        idsOf,
      ),

    /** The venue no longer knows them. */
    withdraw: (ids: ReadonlyArray<number>) =>
      Effect.asVoid(sql`update event set archived = true, active = false where id = any(${ids}::int[])`),

    openEvents: Effect.map(
      reads<{ count: number }>`select count(*)::int as count from event where not closed and not archived`,
      ([row]) => row?.count ?? 0,
    ),

    recurringSeries: Effect.map(
      reads<{ slug: string }>`select slug from series where recurrence is not null and not closed`,
      (rows) => rows.map(({ slug }) => slug),
    ),

    forgetHistory: (before: number) => Effect.asVoid(sql`delete from market_history where at < ${new Date(before)}`),
  }
})

interface Identified {
  readonly id: number
}

interface Noted {
  readonly market: number
  readonly best_bid: number | null
  readonly best_ask: number | null
  readonly last_trade: number | null
  readonly prices: ReadonlyArray<number>
}
