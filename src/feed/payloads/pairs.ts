import { exactAmount } from "#src/domain/amounts.ts"
import { enrichedCondition } from "../enriched.ts"
import type { Names } from "../Names.ts"
import type { PairRow } from "../rows.ts"
import { placePayload } from "./place.ts"

/** The ledger does not keep which of the venue's collaterals it was. */
const collateral = { collateral_token: null }

const pairPayload = (row: PairRow, names: Names) => ({
  ...enrichedCondition(names.condition(row.condition)),
  ...placePayload(row),
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
