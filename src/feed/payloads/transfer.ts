import { exactAmount } from "#src/domain/amounts.ts"
import { enrichedToken } from "../enriched.ts"
import type { Names } from "../Names.ts"
import type { TransferRow } from "../rows.ts"
import { placePayload } from "./place.ts"

export const transferPayload = (row: TransferRow, names: Names) => {
  const token = names.token(row.token)
  return {
    event_type: "position_change",
    ...enrichedToken(token),
    ...placePayload(row),
    from: names.wallet(row.sender),
    to: names.wallet(row.receiver),
    token_id: token.id,
    amount: exactAmount(row.shares),
    transfer_type: row.batch ? "batch" : "single",
  }
}
