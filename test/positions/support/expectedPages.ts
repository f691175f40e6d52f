import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { allFacts } from "#test/webhooks/support/world/facts.ts"
import { averageOf, type Expected, expectedPositions } from "./expected.ts"
import { commonRow, opposite, usd } from "./expectedRows.ts"

/** An expected position with the ids that decide among equal ones. */
export interface Ranked extends Expected {
  readonly walletId: number
  readonly tokenId: number
  readonly isTraded: boolean
  readonly tradedAt: number | null
  readonly value: number
  readonly status: string
}

const ids = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const wallets = yield* sql<{ id: number; name: string }>`
    select id, '0x' || encode(address, 'hex') as name from wallet`
  const tokens = yield* sql<{ id: number; name: string }>`select id, encode(hash, 'hex') as name from token`
  const byName = (rows: typeof wallets) => new Map(rows.map(({ id, name }) => [name, id]))
  return { wallets: byName(wallets), tokens: byName(tokens) }
})

/** All positions of a settled world, with what the sorted lists show. */
export const rankedPositions = Effect.fnUntraced(function* (simulation: Simulation) {
  const { wallets, tokens } = yield* ids
  const { fills } = yield* allFacts(simulation.head)
  const traded = new Map<string, number>()
  for (const { maker, token, at } of fills) traded.set(`${maker} ${token}`, Math.floor(at.getTime() / 1000))
  const tradedTokens = new Set(fills.map(({ token }) => token))
  return (yield* expectedPositions(simulation)).map((each): Ranked => {
    const { shares, price } = each
    const worth = (2n * BigInt(shares) * BigInt(price ?? 0) + 1_000_000n) / 2_000_000n
    return {
      ...each,
      walletId: wallets.get(each.wallet) ?? 0,
      tokenId: tokens.get(each.token.hex) ?? 0,
      isTraded: tradedTokens.has(each.token.id),
      tradedAt: traded.get(`${each.wallet} ${each.token.id}`) ?? null,
      value: shares > 0 ? Number(worth) : 0,
      status: commonRow(each).status,
    }
  })
})

export const sortValues: Readonly<Record<string, (position: Ranked) => number>> = {
  recent: ({ changedAt }) => changedAt,
  realized_pnl: ({ realized }) => realized,
  pnl: ({ realized }) => realized,
  unrealized_pnl: ({ unrealized }) => unrealized,
  total_pnl: ({ realized, unrealized }) => realized + unrealized,
  size: ({ shares }) => shares,
  value: ({ value }) => value,
  total_bought: ({ bought }) => bought,
  avg_price: averageOf,
}

export const inOrder = (positions: ReadonlyArray<Ranked>, sort: string, order: "asc" | "desc") => {
  const value = sortValues[sort] as (position: Ranked) => number
  const sorted = positions.toSorted((a, b) => value(a) - value(b) || a.tokenId - b.tokenId || a.walletId - b.walletId)
  return order === "asc" ? sorted : sorted.toReversed()
}

const seconds = (at: number | null) => (at === null ? null : String(at))

const priceSource = ({ isResolved, isTraded, price }: Ranked) => {
  if (price === null) return null
  return isResolved ? "settlement" : isTraded ? "last_fill" : "v1_condition"
}

/** A row of the lists of wallets and of everybody, but for `market_status`, which the books do not have. */
export const pageRow = (simulation: Simulation, expected: Ranked) => {
  const { token, names } = expected
  const { closed_at: _, ...common } = commonRow(expected)
  const { payouts } = token.market
  const winner = payouts === undefined || (payouts[0] > 0 && payouts[1] > 0) ? null : payouts[0] > 0 ? 0 : 1
  return {
    ...common,
    total_pnl: usd(expected.realized + expected.unrealized),
    current_value: usd(expected.value),
    initial_value: expected.isOpen ? usd(expected.cost) : null,
    redeemable_payout: expected.status === "redeemable" ? usd(expected.value) : 0,
    resolved: expected.isResolved,
    price_source: priceSource(expected),
    slug: names?.slug ?? null,
    outcome_index: token.outcome,
    opposite_asset: opposite(simulation, expected) ?? null,
    neg_risk: names !== undefined && token.market.event.plan.negRisk,
    tag_slugs: expected.tags,
    last_activity: String(expected.changedAt),
    last_trade_at: seconds(expected.tradedAt),
    resolved_at: seconds(expected.resolvedAt),
    winning_outcome_index: winner,
    won: winner === null ? null : winner === token.outcome,
  }
}

const decimal = (millionths: number) => String(usd(millionths))

/** A row of the lists of markets. */
export const holderRow = (expected: Ranked) => ({
  user: expected.wallet,
  token_id: expected.token.id,
  outcome_index: expected.token.outcome,
  amount: decimal(expected.shares),
  avg_price: String(averageOf(expected)),
  total_bought: decimal(expected.bought),
  realized_pnl: decimal(expected.realized),
  unrealized_pnl: decimal(expected.unrealized),
  total_pnl: decimal(expected.realized + expected.unrealized),
  status: expected.status,
  basis: "known",
})
