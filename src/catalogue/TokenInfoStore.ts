import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"

/** The market and event of a token. */
export interface TokenInfo {
  /** 64 hexadecimal digits, like the condition. */
  readonly token: string
  readonly condition: string
  readonly outcomeIndex: number
  readonly outcome: string
  readonly outcomes: ReadonlyArray<string>
  /** All tokens of the market, in the order of the outcomes. */
  readonly tokens: ReadonlyArray<string>
  readonly marketId: number
  readonly title: string
  readonly slug: string
  readonly image: string | null
  readonly negRisk: boolean
  readonly tickSize: number | null
  readonly takerBaseFee: number | null
  readonly eventId: number | null
  readonly eventSlug: string | null
  readonly eventTitle: string | null
  readonly category: string | null
  readonly tags: ReadonlyArray<string>
}

interface Row {
  readonly id: number
  readonly token: string
  readonly condition: string
  readonly outcome: number
  readonly outcomes: ReadonlyArray<string>
  readonly tokens: ReadonlyArray<string>
  readonly market_id: number
  readonly question: string
  readonly slug: string
  readonly image: string | null
  readonly neg_risk: boolean
  readonly tick_size: number | null
  readonly taker_base_fee: number | null
  readonly event_id: number | null
  readonly event_slug: string | null
  readonly event_title: string | null
  readonly category: string | null
  readonly tags: ReadonlyArray<string> | null
}

const infoOf = (row: Row): TokenInfo => ({
  token: row.token,
  condition: row.condition,
  outcomeIndex: row.outcome,
  outcome: row.outcomes[row.outcome] ?? "",
  outcomes: row.outcomes,
  tokens: row.tokens,
  marketId: row.market_id,
  title: row.question,
  slug: row.slug,
  image: row.image,
  negRisk: row.neg_risk,
  tickSize: row.tick_size,
  takerBaseFee: row.taker_base_fee,
  eventId: row.event_id,
  eventSlug: row.event_slug,
  eventTitle: row.event_title,
  category: row.category,
  tags: row.tags ?? [],
})

/** Loads many tokens with one query. If a condition is listed twice, the newest market counts. */
export const load = (sql: SqlClient, ids: ReadonlyArray<number>) =>
  Effect.map(
    sql<Row>`
        select distinct on (t.id) t.id, encode(t.hash, 'hex') as token, encode(c.hash, 'hex') as condition, t.outcome,
          m.outcomes, m.id as market_id, m.question, m.slug, m.image, m.neg_risk, m.tick_size, m.taker_base_fee,
          array(select encode(o.hash, 'hex') from token o where o.condition = t.condition order by o.outcome) as tokens,
          e.id as event_id, e.slug as event_slug, e.title as event_title, e.category, e.tags
        from token t
        join condition c on c.id = t.condition
        join market m on m.condition = t.condition
        left join event e on e.id = m.event
        where t.id = any(${ids}::int[]) and t.outcome is not null
        order by t.id, m.id desc`,
    (rows) => new Map(rows.map((row) => [row.id, infoOf(row)])),
  )
