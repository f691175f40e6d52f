import { exactAmount } from "#src/domain/amounts.ts"
import type { ConditionName } from "../Names.ts"

/** What a share of each outcome pays. */
const pricesOf = (payouts: ReadonlyArray<bigint>): ReadonlyArray<number> => {
  const sum = payouts.reduce((all, each) => all + each, 0n)
  return payouts.map((each) => (sum === 0n ? 0 : exactAmount((2_000_000n * each + sum) / (2n * sum))))
}

/** Nobody has won where several outcomes pay. */
export const winnerOf = (payouts: ReadonlyArray<bigint> | null): number | null => {
  const winners = (payouts ?? []).flatMap((payout, outcome) => (payout > 0n ? [outcome] : []))
  return winners.length === 1 ? (winners[0] ?? null) : null
}

/** How a condition was decided. */
export const decided = (payouts: ReadonlyArray<bigint> | null, condition: ConditionName) => {
  const winner = winnerOf(payouts)
  return {
    payouts: payouts?.map(Number) ?? null,
    prices: payouts === null ? null : pricesOf(payouts),
    winner,
    outcome: winner === null ? null : (condition.info?.outcomes[winner] ?? null),
    token: winner === null ? null : (condition.tokens[winner]?.id ?? null),
  }
}
