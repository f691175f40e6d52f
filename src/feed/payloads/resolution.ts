import { exactAmount, halfUp } from "#src/domain/amounts.ts"
import type { ConditionName, Names } from "../Names.ts"
import type { ResolutionRow } from "../rows.ts"
import { chainPosition } from "./chain.ts"
import { enrichedCondition } from "./enriched.ts"

/** A condition is resolved. Earlier oracle steps are not followed. */
export const resolutionPayload = (row: ResolutionRow, names: Names) => {
  const condition = names.condition(row.condition)
  const { payouts, prices, outcome } = resolutionOf(row.payouts, condition)
  return {
    event_type: "oracle",
    oracle_type: "condition_resolution",
    ...enrichedCondition(condition),
    ...chainPosition(row),
    question_id: null,
    adapter_address: null,
    proposer: null,
    disputer: null,
    proposed_price: null,
    expiration_timestamp: null,
    resolved_price: prices?.[0] ?? null,
    resolved_outcome: outcome,
    payouts,
  }
}

/** Payout per share of each outcome. */
export const pricesOf = (payouts: ReadonlyArray<bigint>): ReadonlyArray<number> => {
  const sum = payouts.reduce((all, each) => all + each, 0n)
  return payouts.map((each) => (sum === 0n ? 0 : exactAmount(halfUp(1_000_000n * each, sum))))
}

/** The winning outcome; null if several outcomes pay. */
export const winnerOf = (payouts: ReadonlyArray<bigint> | null): number | null => {
  const winners = (payouts ?? []).flatMap((payout, outcome) => (payout > 0n ? [outcome] : []))
  return winners.length === 1 ? (winners[0] ?? null) : null
}

/** Resolution of a condition. */
export const resolutionOf = (payouts: ReadonlyArray<bigint> | null, condition: ConditionName) => {
  const winner = winnerOf(payouts)
  return {
    payouts: payouts?.map(Number) ?? null,
    prices: payouts === null ? null : pricesOf(payouts),
    winner,
    outcome: winner === null ? null : (condition.info?.outcomes[winner] ?? null),
    token: winner === null ? null : (condition.tokens[winner]?.id ?? null),
  }
}
