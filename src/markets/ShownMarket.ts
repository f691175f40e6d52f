import { isCombo } from "#src/domain/comboIds.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { comboOutcome } from "#src/feed/combos/comboNames.ts"
import { titleSql } from "#src/positions/positionSql.ts"

/** A market as the ledger and the catalogue know it. Names are null and lists empty while it is not listed. */
export interface ShownMarket {
  /** Null if the venue lists the market without a condition. */
  readonly condition: string | null
  /** For a combo, its legs. */
  readonly title: string | null
  readonly slug: string | null
  readonly outcomes: ReadonlyArray<string>
  /** In the order of the outcomes. */
  readonly tokens: ReadonlyArray<string>
  readonly category: string | null
  readonly active: boolean | null
  readonly closed: boolean | null
  readonly negRisk: boolean | null
  /** As the venue counts them, in 10⁻⁶ dollars. */
  readonly volume: bigint | null
  readonly liquidity: bigint | null
  readonly endsAt: Date | null
  readonly createdAt: Date | null
  readonly eventSlug: string | null
  readonly eventTitle: string | null
  readonly tags: ReadonlyArray<string>
  /** Null until the condition is resolved. */
  readonly payouts: ReadonlyArray<bigint> | null
  readonly resolvedAt: Date | null
}

export interface MarketRow {
  readonly condition: string | null
  readonly title: string | null
  readonly slug: string | null
  readonly outcomes: ReadonlyArray<string> | null
  readonly tokens: ReadonlyArray<string>
  readonly category: string | null
  readonly active: boolean | null
  readonly closed: boolean | null
  readonly neg_risk: boolean | null
  readonly volume: bigint | null
  readonly liquidity: bigint | null
  readonly ends_at: Date | null
  readonly created_at: Date | null
  readonly event_slug: string | null
  readonly event_title: string | null
  readonly tags: ReadonlyArray<string> | null
  readonly payouts: ReadonlyArray<bigint> | null
  readonly resolved_at: Date | null
}

/** Columns of the condition `c`, its market `m` and its event `e`; `t.condition` is the condition's id. */
export const marketColumns = `
  '0x' || encode(c.hash, 'hex') as condition, coalesce(m.question, ${titleSql}) as title, m.slug, m.outcomes, e.category,
  m.active, m.closed, m.neg_risk, m.volume, m.liquidity, m.ends_at, m.created_at, e.slug as event_slug,
  e.title as event_title, e.tags, r.payouts, r.at as resolved_at,
  array(select encode(o.hash, 'hex') from token o where o.condition = t.condition order by o.outcome) as tokens`

/** Joins what `marketColumns` needs to `t`. A condition that is listed twice has its newest market. */
export const marketJoins = `
  left join condition c on c.id = t.condition
  left join resolution r on r.condition = t.condition
  left join lateral (select * from market m where m.condition = t.condition order by m.id desc limit 1) m on true
  left join event e on e.id = m.event`

const comboOutcomes = [0, 1].map((index) => comboOutcome(index) ?? "")

const outcomesOf = ({ outcomes, tokens: [first] }: MarketRow) =>
  outcomes ?? (first !== undefined && isCombo(first) ? comboOutcomes : [])

export const marketOf = (row: MarketRow): ShownMarket => ({
  condition: row.condition,
  title: row.title,
  slug: row.slug,
  outcomes: outcomesOf(row),
  tokens: row.tokens.map(tokenOfHex),
  category: row.category,
  active: row.active,
  closed: row.closed,
  negRisk: row.neg_risk,
  volume: row.volume,
  liquidity: row.liquidity,
  endsAt: row.ends_at,
  createdAt: row.created_at,
  eventSlug: row.event_slug,
  eventTitle: row.event_title,
  tags: row.tags ?? [],
  payouts: row.payouts,
  resolvedAt: row.resolved_at,
})
