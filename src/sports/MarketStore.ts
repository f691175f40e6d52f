import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { growingCache } from "#src/platform/growingCache.ts"
import type { SportsMarket } from "./model.ts"
import { tokenIdStore } from "./TokenIdStore.ts"

interface MarketRow {
  readonly id: number
  readonly event: number
  readonly condition: string | null
  readonly slug: string
  readonly question: string
  readonly group_title: string | null
  readonly sports_type: string | null
  readonly line: bigint | null
  readonly outcomes: ReadonlyArray<string>
  readonly prices: ReadonlyArray<number>
  readonly tokens: ReadonlyArray<number>
  readonly volume: bigint | null
  readonly volume_day: bigint | null
  readonly liquidity: bigint | null
  readonly opens_at: Date | null
  readonly active: boolean
  readonly closed: boolean
  readonly accepting_orders: boolean
  readonly delay_seconds: number | null
  readonly clear_book_on_start: boolean | null
  readonly best_bid: number | null
  readonly best_ask: number | null
}

const millis = (at: Date | null) => at?.getTime() ?? null

const marketIn = (row: MarketRow, tokenOf: (id: number) => string): SportsMarket => ({
  id: row.id,
  event: row.event,
  condition: row.condition,
  slug: row.slug,
  question: row.question,
  groupTitle: row.group_title,
  sportsType: row.sports_type,
  line: row.line,
  outcomes: row.outcomes,
  prices: row.prices,
  tokens: row.tokens.map(tokenOf),
  volume: row.volume,
  volumeDay: row.volume_day,
  liquidity: row.liquidity,
  opensAt: millis(row.opens_at),
  active: row.active,
  closed: row.closed,
  acceptingOrders: row.accepting_orders,
  delaySeconds: row.delay_seconds,
  clearBookOnStart: row.clear_book_on_start,
  bestBid: row.best_bid,
  bestAsk: row.best_ask,
})

/**
 * Markets are kept, because to read and write them costs more than all else, and compared with the store after this time.
 * States of games are always read.
 */
const keptMillis = 1_000
const mostKept = 5_000

interface KeptMarkets {
  readonly markets: ReadonlyArray<SportsMarket>
  readonly version: string
  readonly at: number
}

/** Markets of events as the catalogue has them, by event and in order of id. */
export const marketStore = (sql: SqlClient) => {
  const tokenIds = tokenIdStore(sql)

  const readMarkets = Effect.fnUntraced(function* (events: ReadonlyArray<number>) {
    const rows = yield* sql<MarketRow>`
      select m.id, m.event, '0x' || encode(c.hash, 'hex') as condition, m.slug, m.question, m.group_title, m.sports_type,
        m.line, m.outcomes, m.prices, m.tokens, m.volume, m.volume_day, m.liquidity, m.opens_at, m.active, m.closed,
        m.accepting_orders, m.delay_seconds, m.clear_book_on_start, m.best_bid, m.best_ask
      from market m left join condition c on c.id = m.condition
      where m.event = any(${events}::int[]) and not m.archived
      order by m.event, m.id`
    const tokenOf = yield* tokenIds(rows.flatMap(({ tokens }) => tokens))
    const byEvent = Map.groupBy(rows, ({ event }) => event)
    return new Map(events.map((event) => [event, (byEvent.get(event) ?? []).map((row) => marketIn(row, tokenOf))]))
  })

  /** Changes with every change of a market: a row that is written again has another transaction. */
  const versionsOf = (events: ReadonlyArray<number>) =>
    Effect.map(
      sql<{ event: number; version: string }>`
        select m.event, count(*) || ' ' ||
          bit_xor(hashint8extended((m.id::int8 << 32) | m.xmin::text::int8, 0)) as version
        from market m where m.event = any(${events}::int[]) and not m.archived group by m.event`,
      (rows) => new Map(rows.map(({ event, version }) => [event, version])),
    )

  const kept = growingCache<string, KeptMarkets>(mostKept)

  return Effect.fnUntraced(function* (events: ReadonlyArray<number>) {
    const now = yield* Clock.currentTimeMillis
    const current = new Map(
      events.flatMap((id) => {
        const last = kept.get(String(id))
        return last !== undefined && Math.abs(now - last.at) < keptMillis ? [[id, last.markets] as const] : []
      }),
    )
    const old = events.filter((id) => !current.has(id))
    if (old.length === 0) return current
    // Before the markets: what changes in between has another version when it is compared the next time.
    const versions = yield* versionsOf(old)
    const versionOf = (id: number) => versions.get(id) ?? ""
    for (const id of old) {
      const last = kept.get(String(id))
      if (last === undefined || last.version !== versionOf(id)) continue
      current.set(id, last.markets)
      kept.set(String(id), { ...last, at: now })
    }
    const missing = old.filter((id) => !current.has(id))
    if (missing.length === 0) return current
    for (const [id, markets] of yield* readMarkets(missing)) {
      current.set(id, markets)
      kept.set(String(id), { markets, version: versionOf(id), at: now })
    }
    return current
  })
}
