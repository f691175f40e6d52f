import { exactAmount } from "#src/domain/amounts.ts"
import type { Names } from "#src/feed/Names.ts"
import { decided } from "#src/feed/payloads/decided.ts"
import type { ConversionRow, PairRow, RedemptionRow } from "#src/feed/rows.ts"
import type { ConversionData, PairData, RedemptionData } from "./schemas.ts"
import { eventOf, marketOfCondition, marketOfToken, placeOnChain, timestampOf } from "./shared.ts"

export const pairData = (row: PairRow, names: Names): PairData => {
  const condition = names.condition(row.condition)
  return {
    wallet: names.wallet(row.wallet),
    ...marketOfCondition(condition),
    ...eventOf(condition.info),
    amount: exactAmount(row.amount),
    ...placeOnChain(row),
    timestamp: timestampOf(row),
  }
}

/** What was handed in, if that was shares of one outcome; else the outcome that was right. */
const redeemedOutcome = (redeemed: RedemptionData["redeemed"], right: string | null): string | null => {
  const held = redeemed.filter(({ shares }) => shares > 0)
  return held.length === 1 ? (held[0]?.outcome ?? null) : right
}

export const redemptionData = (row: RedemptionRow, names: Names): RedemptionData => {
  const condition = names.condition(row.condition)
  const redeemed = row.tokens.map((number, place) => {
    const token = names.token(number)
    return { token_id: token.id, outcome: token.info?.outcome ?? null, shares: exactAmount(row.shares[place] ?? 0n) }
  })
  return {
    wallet: names.wallet(row.wallet),
    ...marketOfCondition(condition),
    outcome: redeemedOutcome(redeemed, decided(row.payouts, condition).outcome),
    ...eventOf(condition.info),
    payout_usd: exactAmount(row.payout),
    redeemed,
    ...placeOnChain(row),
    timestamp: timestampOf(row),
  }
}

export const conversionData = (row: ConversionRow, names: Names): ConversionData => {
  const given = row.nos.map(names.token)
  return {
    wallet: names.wallet(row.wallet),
    market_id: `0x${row.neg_risk_market}`,
    market: null,
    slug: null,
    outcome: null,
    condition_id: null,
    ...eventOf(given[0]?.info),
    amount: exactAmount(row.amount),
    converted: given.map((token) => ({ token_id: token.id, ...marketOfToken(token) })),
    ...placeOnChain(row),
    timestamp: timestampOf(row),
  }
}
