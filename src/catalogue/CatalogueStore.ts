import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { CatalogueEvent, Market } from "#src/domain/Catalogue.ts"
import type { EventLog, NewEvent } from "#src/mesh/EventLog.ts"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { eventColumns, eventRow, type MarketIds, marketColumns, marketRow } from "./rows.ts"
import { nameEvents } from "./SportsNameStore.ts"
import { recount } from "./SummaryStore.ts"
import { indexMarkets } from "./searchDocuments.ts"
import { upsert } from "./upsert.ts"

const upsertEvents = upsert<ReturnType<typeof eventRow>>("event", eventColumns)
const upsertMarkets = upsert<ReturnType<typeof marketRow>>("market", marketColumns)

export interface WriteOptions {
  /** Time of the write. */
  readonly now: number
  /** Earlier events are not announced: the log would not keep them either. */
  readonly announceAfter: number
  /** Smallest change of a price that is recorded in the history, in millionths. */
  readonly threshold: number
  /** The figures of their leagues change. */
  readonly gamesInNewPhase: ReadonlyArray<string>
}

/**
 * Gives tokens their condition. Before the market is written: writers of the chain do the same, and each sees only tokens that
 * already have their condition when it looks for those of a market.
 */
const linkTokens = Effect.fnUntraced(function* (
  sql: SqlClient,
  markets: ReadonlyArray<Market>,
  ids: ReadonlyMap<number, MarketIds>,
) {
  const links = markets.flatMap(({ id }) => {
    const { condition, tokens } = ids.get(id) ?? { condition: null, tokens: [] }
    return condition === null ? [] : tokens.map((token, outcome) => ({ token, condition, outcome }))
  })
  const given = sql`jsonb_to_recordset(${JSON.stringify(links)}::jsonb) n(token int, condition int, outcome int)`
  const isNew = sql`t.id = n.token and (t.condition, t.outcome) is distinct from (n.condition, n.outcome::smallint)`
  const missing = yield* sql`select from token t, ${given} where ${isNew} limit 1`
  if (missing.length > 0)
    yield* sql`update token t set condition = n.condition, outcome = n.outcome from ${given} where ${isNew}`
})

/** A resolution is final, so each is announced once. */
const resolve = (sql: SqlClient, markets: ReadonlyArray<Market>, now: number) => {
  const resolutions = markets.flatMap(({ id, payouts, closedAt }) =>
    payouts === null ? [] : [{ id, payouts, at: new Date(closedAt ?? now).toISOString() }],
  )
  return sql<{ id: number; resolved_at: Date }>`
    update market m set payouts = n.payouts, resolved_at = n.at
    from jsonb_to_recordset(${JSON.stringify(resolutions)}::jsonb) n(id int, payouts jsonb, at timestamptz)
    where m.id = n.id and m.resolved_at is null
    returning m.id, m.resolved_at`
}

interface HistoryRow {
  readonly market: number
  readonly best_bid: number | null
  readonly best_ask: number | null
  readonly last_trade: number | null
  readonly prices: ReadonlyArray<number>
}

const insertHistory = bulkInsert<HistoryRow & { readonly at: Date }>({
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

/** Compares with the last recorded prices, not with the last seen ones, so that a slow drift is recorded too. */
const recordHistory = (sql: SqlClient, markets: ReadonlyArray<Market>, { now, threshold }: WriteOptions) =>
  Effect.gen(function* () {
    if (markets.length === 0) return
    const recorded = yield* sql<HistoryRow>`
      select m.id as market, h.best_bid, h.best_ask, h.last_trade, h.prices
      from unnest(${markets.map(({ id }) => id)}::int[]) m(id)
      cross join lateral (select * from market_history h where h.market = m.id order by h.at desc limit 1) h`
    const last = new Map(recorded.map((row) => [row.market, row]))
    const differs = (a: number | null, b: number | null) =>
      a === null || b === null ? a !== b : Math.abs(a - b) >= Math.max(1, threshold)
    const hasMoved = (market: Market) => {
      const before = last.get(market.id)
      if (before === undefined) return true
      return (
        differs(before.best_bid, market.bestBid) ||
        differs(before.best_ask, market.bestAsk) ||
        differs(before.last_trade, market.lastTrade) ||
        before.prices.length !== market.prices.length ||
        market.prices.some((price, outcome) => differs(price, before.prices[outcome] ?? null))
      )
    }
    yield* insertHistory(
      sql,
      markets.filter(hasMoved).map(({ id, bestBid, bestAsk, lastTrade, prices }) => ({
        market: id,
        at: new Date(now),
        best_bid: bestBid,
        best_ask: bestAsk,
        last_trade: lastTrade,
        prices,
      })),
    )
  })

/** Writes changed rows and announces new and resolved markets. Call it inside a transaction. Returns the numbers of rows. */
export const write = (
  sql: SqlClient,
  log: EventLog["Service"],
  events: ReadonlyArray<CatalogueEvent>,
  markets: ReadonlyArray<Market>,
  ids: ReadonlyMap<number, MarketIds>,
  options: WriteOptions,
) =>
  Effect.gen(function* () {
    const changedEvents = yield* upsertEvents(sql, events.map(eventRow))
    const changedIds = new Set(changedEvents.map(({ id }) => id))
    const rows = markets.map((market) => marketRow(market, ids.get(market.id) ?? { condition: null, tokens: [] }))
    yield* linkTokens(sql, markets, ids)
    const changed = yield* upsertMarkets(sql, rows)
    const byId = new Map(markets.map((market) => [market.id, market]))
    const touched = changed.flatMap(({ id }) => byId.get(id) ?? [])
    const eventIds = new Set(changedEvents.map(({ id }) => id))
    const ofChangedEvents = events.flatMap((event) => (eventIds.has(event.id) ? event.markets : []))
    yield* indexMarkets(sql, events, [...ofChangedEvents, ...touched])
    const resolved = yield* resolve(sql, markets, options.now)
    const listed = new Set(changedEvents.flatMap(({ id, inserted }) => (inserted ? [id] : [])))
    if (listed.size > 0) yield* nameEvents(sql, [...listed])
    const isCounted = ({ id, closed }: CatalogueEvent) => listed.has(id) || (closed && changedIds.has(id))
    const counted = events.flatMap((event) => (isCounted(event) && event.series !== null ? [event.series.id] : []))
    yield* recordHistory(sql, touched, options)
    yield* recount(sql, { series: [...new Set(counted)], games: options.gamesInNewPhase }, options.now)

    const created = changed.flatMap(({ id, inserted }) => (inserted ? [id] : []))
    const announcement = (kind: string, id: number): NewEvent => ({ kind, ref: BigInt(id), data: { market: id } })
    const isRecent = (at: number | null | undefined) => (at ?? options.now) >= options.announceAfter
    const announcements = [
      ...created.map((id) => ({ at: byId.get(id)?.createdAt, event: announcement("market_created", id) })),
      ...resolved.map(({ id, resolved_at }) => ({
        at: resolved_at.getTime(),
        event: announcement("market_resolved", id),
      })),
    ]
    yield* log.append(announcements.filter(({ at }) => isRecent(at)).map(({ event }) => event))
    return {
      events: changedEvents.length,
      markets: changed.length,
      created: created.length,
      resolved: resolved.length,
    }
  })

interface IdRow {
  readonly id: number
}

const idsOf = (rows: ReadonlyArray<IdRow>) => rows.map(({ id }) => id)
const idSet = <E>(ids: ReadonlyArray<number>, query: Effect.Effect<ReadonlyArray<IdRow>, E>) =>
  ids.length === 0 ? Effect.succeed(new Set<number>()) : Effect.map(query, (rows) => new Set(idsOf(rows)))

/** Those of the events that are stored. */
export const knownEvents = (sql: SqlClient, ids: ReadonlyArray<number>) =>
  idSet(ids, sql<IdRow>`select id from event where id = any(${ids}::int[])`)

/** Those of the markets that are stored as closed. */
export const knownClosed = (sql: SqlClient, ids: ReadonlyArray<number>) =>
  idSet(ids, sql<IdRow>`select id from market where id = any(${ids}::int[]) and closed`)

/** Events that are stored as open, and those with a closed market that is not resolved yet. */
export const unfinishedEvents = (sql: SqlClient, closedSince: number) =>
  Effect.map(
    sql<IdRow>`
      select id from event where not closed and not archived
      union
      select event from market
      where closed and resolved_at is null and event is not null and closed_at >= ${new Date(closedSince)}
      order by id`,
    idsOf,
  )

/** Archives events that the venue no longer lists. */
export const archive = (sql: SqlClient, ids: ReadonlyArray<number>) =>
  Effect.asVoid(sql`update event set archived = true, active = false where id = any(${ids}::int[])`)

/**
 * Statistics for the planner. Autovacuum makes the first ones within a minute; until then Postgres takes a condition for one
 * of few, and looks for the newest market of each by reading all markets.
 */
export const analyze = (sql: SqlClient) => Effect.asVoid(sql`analyze event, market, token, condition`)

export const countOpenEvents = (sql: SqlClient) =>
  Effect.map(
    sql<{ count: number }>`select count(*)::int as count from event where not closed and not archived`,
    ([row]) => row?.count ?? 0,
  )

export const recurringSeries = (sql: SqlClient) =>
  Effect.map(sql<{ slug: string }>`select slug from series where recurrence is not null and not closed`, (rows) =>
    rows.map(({ slug }) => slug),
  )

export const deleteHistory = (sql: SqlClient, before: number) =>
  Effect.asVoid(sql`delete from market_history where at < ${new Date(before)}`)
