import { enrichedCondition } from "../enriched.ts"
import type { Names } from "../Names.ts"
import type { ResolutionRow } from "../rows.ts"
import { decided } from "./decided.ts"
import { placePayload } from "./place.ts"

/** A condition is decided. What led to it is not followed. */
export const resolutionPayload = (row: ResolutionRow, names: Names) => {
  const condition = names.condition(row.condition)
  const { payouts, prices, outcome } = decided(row.payouts, condition)
  return {
    event_type: "oracle",
    oracle_type: "condition_resolution",
    ...enrichedCondition(condition),
    ...placePayload(row),
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
