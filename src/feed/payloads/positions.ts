import { exactAmount } from "#src/domain/amounts.ts"
import { indexSetOf } from "#src/domain/indexSet.ts"
import type { Names } from "../Names.ts"
import type { ConversionRow, PairRow, RedemptionRow, TransferRow } from "../rows.ts"
import { chainPosition } from "./chain.ts"
import { enrichedCondition, enrichedToken, unlisted } from "./enriched.ts"
import { resolutionOf } from "./resolution.ts"

export const transferPayload = (row: TransferRow, names: Names) => {
  const token = names.token(row.token)
  return {
    event_type: "position_change",
    ...enrichedToken(token),
    ...chainPosition(row),
    from: names.wallet(row.sender),
    to: names.wallet(row.receiver),
    token_id: token.id,
    amount: exactAmount(row.shares),
    transfer_type: row.batch ? "batch" : "single",
  }
}

export const conversionPayload = (row: ConversionRow, names: Names) => {
  const given = row.nos.map(names.token)
  const info = given[0]?.info
  return {
    event_type: "positions_converted",
    ...unlisted,
    event_title: info?.eventTitle ?? null,
    event_slug: info?.eventSlug ?? null,
    neg_risk: given.every(({ combo }) => combo === undefined),
    ...chainPosition(row),
    stakeholder: names.wallet(row.wallet),
    market_id: row.neg_risk_market === null ? null : `0x${row.neg_risk_market}`,
    index_set: row.questions === null ? null : `0x${indexSetOf(row.questions).toString(16)}`,
    amount: exactAmount(row.amount),
    converted_outcomes: given.map(({ id, condition, info: listed }) => ({
      token_id: id,
      condition_id: condition,
      title: listed?.title ?? null,
    })),
  }
}

export const redemptionPayload = (row: RedemptionRow, names: Names) => {
  const condition = names.condition(row.condition)
  const { payouts, prices, winner, outcome, token } = resolutionOf(row.payouts, condition)
  const redeemed = row.tokens.map(names.token)
  return {
    event_type: "redemption",
    ...enrichedCondition(condition),
    ...chainPosition(row),
    redeemer: names.wallet(row.wallet),
    collateral_token: null,
    index_sets: redeemed.flatMap(({ outcomeIndex }) => (outcomeIndex === null ? [] : [2 ** outcomeIndex])),
    payout: exactAmount(row.payout),
    payout_e6: Number(row.payout),
    payouts,
    outcome_prices: prices,
    winning_outcome_index: winner,
    winning_outcome: outcome,
    winning_token_id: token,
  }
}

/** The ledger does not record which of the venue's collaterals it was. */
const collateral = { collateral_token: null }

const pairPayload = (row: PairRow, names: Names) => ({
  ...enrichedCondition(names.condition(row.condition)),
  ...chainPosition(row),
  stakeholder: names.wallet(row.wallet),
  ...collateral,
  amount: exactAmount(row.amount),
})

export const splitPayload = (row: PairRow, names: Names) => ({
  event_type: "position_split",
  ...pairPayload(row, names),
})

export const mergePayload = (row: PairRow, names: Names) => ({
  event_type: "position_merge",
  ...pairPayload(row, names),
})
