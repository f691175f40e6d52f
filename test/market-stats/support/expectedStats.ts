import { Effect } from "effect"
import { decimalAmount } from "#src/domain/amounts.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { expectedTrades } from "#test/rollups/support/expectedTrades.ts"
import { allFacts, type FillFact } from "#test/webhooks/support/world/facts.ts"

const lengths = { "1h": 3_600, "24h": 86_400, "7d": 604_800, "30d": 2_592_000, all: Number.POSITIVE_INFINITY }

export interface ExpectedRow {
  /** Condition of a market, slug of an event. */
  readonly name: string
  /** Breaks ties: the higher one is listed first. */
  readonly id: number
  readonly figures: Readonly<Record<string, string | number>>
  readonly status: string
  readonly slug: string | null
  readonly event: string | null
  readonly category: string | null
  readonly tags: ReadonlyArray<string>
  readonly negRisk: boolean | null
  readonly liquidity: string | null
  /** Unix seconds. */
  readonly createdAt: number | null
  readonly endsAt: number | null
  readonly price: number | null
  readonly priceChange: number | null
  readonly conditions: ReadonlyArray<string>
}

interface Traded {
  readonly at: number
  readonly usd: bigint
}

const figuresOf = (trades: ReadonlyArray<Traded>, fills: ReadonlyArray<FillFact>, now: number) => {
  const figures: Record<string, string | number> = {}
  for (const [window, length] of Object.entries(lengths)) {
    const within = trades.filter(({ at }) => at > now - length)
    const wallets = fills.filter(({ at }) => at.getTime() / 1000 > now - length).map(({ maker }) => maker)
    figures[`volume_${window}`] = decimalAmount(within.reduce((sum, { usd }) => sum + usd, 0n))
    figures[`trades_${window}`] = within.length
    figures[`unique_traders_${window}`] = new Set(wallets).size
  }
  return figures
}

interface StoredListing {
  readonly id: number
  readonly slug: string
  readonly closed: boolean
  readonly neg_risk: boolean
  readonly liquidity: bigint | null
  readonly created_at: Date | null
  readonly ends_at: Date | null
}
interface StoredMarket extends StoredListing {
  readonly condition: string
  readonly event: number
  readonly prices: ReadonlyArray<number>
}
interface StoredEvent extends StoredListing {
  readonly category: string | null
  readonly tags: ReadonlyArray<string>
}

/** What we know of the venue's catalogue, which may have moved on. */
const storedCatalogue = Effect.gen(function* () {
  const { sql } = yield* Postgres
  return {
    markets: yield* sql<StoredMarket>`
      select m.*, '0x' || encode(c.hash, 'hex') as condition from market m join condition c on c.id = m.condition`,
    events: yield* sql<StoredEvent>`select * from event`,
  }
})

const secondOf = (time: Date | null | undefined) => (time ? Math.floor(time.getTime() / 1000) : null)
const dollars = (micro: bigint | null | undefined) =>
  micro === null || micro === undefined ? null : decimalAmount(micro)
const priceOf = (fill: FillFact | undefined) =>
  fill && Math.min(1, Math.round((1e6 * Number(fill.usd)) / Number(fill.shares)) / 1e6)

/** What the lists must show of every market and event, from the facts alone, at a time in Unix seconds. */
export const expectedStats = Effect.fnUntraced(function* (simulation: Simulation, now: number) {
  const { sql } = yield* Postgres
  const conditions = yield* sql<{ id: number; hash: string; has_tokens: boolean }>`
    select id, '0x' || encode(hash, 'hex') as hash,
      exists (select from token t where t.condition = c.id and t.outcome = 0) as has_tokens
    from condition c`
  const ids = new Map(conditions.map(({ id, hash }) => [hash, id]))
  // Of a market that nobody traded and that is not listed, the chain tells the result, but no tokens that could have a price.
  const priced = new Set(conditions.flatMap(({ hash, has_tokens }) => (has_tokens ? hash : [])))
  const { fills, resolutions } = yield* allFacts(simulation.head)
  const { venue } = simulation.model.world
  const marketOf = new Map(venue.tokens.map(({ id, market }) => [id, market]))
  const tradesBy = Map.groupBy(expectedTrades(fills), ({ token }) => marketOf.get(token))
  const fillsBy = Map.groupBy(fills, ({ token }) => marketOf.get(token))
  const resolvedAt = new Map(resolutions.map(({ condition, at }) => [condition, at.getTime() / 1000]))
  const stored = yield* storedCatalogue
  const listings = new Map(stored.markets.map((row) => [row.condition, row]))
  const eventById = new Map(stored.events.map((event) => [event.id, event]))
  // The name of a market in the newer contracts is no market of its own.
  const all = venue.markets
    .filter(({ conditionId, plan }) => plan.rule.kind !== "migrated" && ids.has(conditionId.padEnd(66, "0")))
    .map((market) => {
      const listed = listings.get(market.conditionId.padEnd(66, "0"))
      return { market, listed, event: listed && eventById.get(listed.event) }
    })

  const markets = all.map(({ market, listed, event }): ExpectedRow => {
    const name = market.conditionId.padEnd(66, "0")
    const own = fillsBy.get(market) ?? []
    const resolved = resolvedAt.get(name)
    const payouts = market.payouts ?? []
    const payout = Math.round((1e6 * (payouts[0] ?? 0)) / payouts.reduce((sum, part) => sum + part, 0)) / 1e6
    const first = venue.tokens[market.tokens[0] ?? -1]?.id
    const ofFirst = own.filter(({ token }) => token === first)
    const priceAt = (second: number) =>
      resolved !== undefined && resolved <= second && priced.has(name)
        ? payout
        : priceOf(ofFirst.findLast(({ at }) => at.getTime() / 1000 <= second))
    const price = priceAt(now) ?? (listed === undefined ? null : (listed.prices[0] ?? 0) / 1e6)
    const earlier = priceAt(now - 86_400)
    return {
      name,
      id: ids.get(name) ?? 0,
      figures: figuresOf(tradesBy.get(market) ?? [], own, now),
      status: resolved !== undefined ? "resolved" : listed?.closed ? "closed" : "open",
      slug: listed?.slug ?? null,
      event: event?.slug ?? null,
      category: event?.category ?? null,
      tags: event?.tags ?? [],
      negRisk: listed?.neg_risk ?? null,
      liquidity: dollars(listed?.liquidity),
      createdAt: secondOf(listed?.created_at),
      endsAt: secondOf(listed?.ends_at),
      price,
      priceChange: price === null || earlier === undefined ? null : Math.round((price - earlier) * 1e6) / 1e6,
      conditions: [name],
    }
  })
  const byName = new Map(markets.map((row) => [row.name, row]))
  const members = Map.groupBy(
    all.filter(({ event }) => event !== undefined),
    ({ event }) => event,
  )
  const events = [...members].flatMap(([event, own]): ReadonlyArray<ExpectedRow> => {
    if (event === undefined) return []
    const rows = own.flatMap(({ market }) => byName.get(market.conditionId.padEnd(66, "0")) ?? [])
    const isResolved = rows.every(({ status }) => status === "resolved")
    return [
      {
        name: event.slug,
        id: event.id,
        figures: figuresOf(
          own.flatMap(({ market }) => tradesBy.get(market) ?? []),
          own.flatMap(({ market }) => fillsBy.get(market) ?? []),
          now,
        ),
        status: isResolved ? "resolved" : event.closed ? "closed" : "open",
        slug: event.slug,
        event: null,
        category: event.category,
        tags: event.tags,
        negRisk: event.neg_risk,
        liquidity: dollars(event.liquidity),
        createdAt: secondOf(event.created_at),
        endsAt: secondOf(event.ends_at),
        price: null,
        priceChange: null,
        conditions: rows.toSorted((a, b) => a.id - b.id).map(({ name }) => name),
      },
    ]
  })
  return { markets, events }
})
