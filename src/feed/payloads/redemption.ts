import { exactAmount } from "#src/domain/amounts.ts"
import { enrichedCondition } from "../enriched.ts"
import type { Names } from "../Names.ts"
import type { RedemptionRow } from "../rows.ts"
import { decided } from "./decided.ts"
import { placePayload } from "./place.ts"

export const redemptionPayload = (row: RedemptionRow, names: Names) => {
  const condition = names.condition(row.condition)
  const { payouts, prices, winner, outcome, token } = decided(row.payouts, condition)
  const handedIn = row.tokens.map(names.token)
  return {
    event_type: "redemption",
    ...enrichedCondition(condition),
    ...placePayload(row),
    redeemer: names.wallet(row.wallet),
    collateral_token: null,
    index_sets: handedIn.flatMap(({ outcomeIndex }) => (outcomeIndex === null ? [] : [2 ** outcomeIndex])),
    payout: exactAmount(row.payout),
    payout_e6: Number(row.payout),
    payouts,
    outcome_prices: prices,
    winning_outcome_index: winner,
    winning_outcome: outcome,
    winning_token_id: token,
  }
}
