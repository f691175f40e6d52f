import { type Price, type Shares, shares, type Usdc } from "#src/domain/amounts.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { outcomeName } from "#src/feed/combos/comboNames.ts"
import { winnerOf } from "#src/feed/payloads/resolution.ts"
import { statusOf } from "#src/ledger/positions/model.ts"

/** Where a price comes from: a resolution, the newest trade or the catalogue. */
export const priceSources = ["settlement", "last_fill", "v1_condition"] as const
export type PriceSource = (typeof priceSources)[number]

/** A position with its market data. Amounts are integers of 10⁻⁶; ids are in client form. */
export interface ShownPosition {
  readonly walletId: number
  readonly tokenId: number
  readonly wallet: string
  readonly token: string
  readonly condition: string
  readonly outcomeIndex: number | null
  /** Names are null while the market is not listed. */
  readonly outcome: string | null
  readonly oppositeToken: string | null
  readonly oppositeOutcome: string | null
  readonly shares: Shares<bigint>
  /** Whether some shares were acquired before the ledger's first block, so that cost and profit are unknown. */
  readonly isPartial: boolean
  /** Cost of the remaining shares; null once their condition is resolved. */
  readonly cost: Usdc<bigint>
  readonly realized: Usdc<bigint>
  readonly unrealized: Usdc<bigint>
  readonly bought: Shares<bigint>
  readonly averagePrice: Price
  readonly price: Price | null
  readonly priceSource: PriceSource | null
  /** Of the remaining shares at the price. */
  readonly value: Usdc<bigint>
  readonly status: ReturnType<typeof statusOf>
  readonly changedAt: Date
  readonly tradedAt: Date | null
  readonly closedAt: Date | null
  readonly resolvedAt: Date | null
  readonly winner: number | null
  readonly market: {
    /** For a combo, its legs. */
    readonly title: string | null
    readonly slug: string | null
    readonly image: string | null
    readonly eventSlug: string | null
    readonly endsAt: Date | null
    readonly status: "open" | "closed" | "resolved"
    readonly isNegRisk: boolean
    readonly tags: ReadonlyArray<string>
  }
}

export interface ShownRow {
  readonly wallet_id: number
  readonly token_id: number
  readonly wallet: string
  readonly token: string
  readonly condition: string | null
  readonly outcome: number | null
  readonly opposite: string | null
  readonly opposite_outcome: number | null
  readonly shares: Shares<bigint>
  readonly partial: boolean
  readonly cost: Usdc<bigint>
  readonly realized: Usdc<bigint>
  readonly unrealized: Usdc<bigint>
  readonly bought: Shares<bigint>
  readonly average: Price
  readonly price: Price | null
  /** The price of the newest trade, unless the condition is resolved. */
  readonly last_trade: Price | null
  readonly value: Usdc<bigint>
  readonly redeemed: boolean
  readonly changed_at: Date
  readonly traded_at: Date | null
  readonly closed_at: Date | null
  readonly resolved_at: Date | null
  readonly payouts: ReadonlyArray<bigint> | null
  readonly title: string | null
  readonly slug: string | null
  readonly image: string | null
  readonly ends_at: Date | null
  readonly market_closed: boolean | null
  readonly neg_risk: boolean | null
  readonly outcomes: ReadonlyArray<string> | null
  readonly event_slug: string | null
  readonly tags: ReadonlyArray<string> | null
}

const priceSourceOf = ({ resolved_at, last_trade, price }: ShownRow): PriceSource | null => {
  if (price === null) return null
  if (resolved_at !== null) return "settlement"
  return last_trade === null ? "v1_condition" : "last_fill"
}

const marketStatus = ({ resolved_at, market_closed }: ShownRow) =>
  resolved_at !== null ? "resolved" : market_closed === true ? "closed" : "open"

export const shownOf = (row: ShownRow): ShownPosition => {
  const held = { shares: shares(Number(row.shares)), redeemed: row.redeemed }
  return {
    walletId: row.wallet_id,
    tokenId: row.token_id,
    wallet: row.wallet,
    token: tokenOfHex(row.token),
    condition: row.condition ?? "",
    outcomeIndex: row.outcome,
    outcome: outcomeName(row.token, row.outcomes, row.outcome),
    oppositeToken: row.opposite === null ? null : tokenOfHex(row.opposite),
    oppositeOutcome: outcomeName(row.token, row.outcomes, row.opposite_outcome),
    shares: row.shares,
    isPartial: row.partial,
    cost: row.cost,
    realized: row.realized,
    unrealized: row.unrealized,
    bought: row.bought,
    averagePrice: row.average,
    price: row.price,
    priceSource: priceSourceOf(row),
    value: row.value,
    status: statusOf(held, row.resolved_at === null ? undefined : (row.price ?? 0)),
    changedAt: row.changed_at,
    tradedAt: row.traded_at,
    closedAt: row.closed_at,
    resolvedAt: row.resolved_at,
    winner: winnerOf(row.payouts),
    market: {
      title: row.title,
      slug: row.slug,
      image: row.image,
      eventSlug: row.event_slug,
      endsAt: row.ends_at,
      status: marketStatus(row),
      isNegRisk: row.neg_risk ?? false,
      tags: row.tags ?? [],
    },
  }
}
