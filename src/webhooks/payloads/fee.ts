import { exactAmount } from "#src/domain/amounts.ts"
import type { Names } from "#src/feed/Names.ts"
import type { FeeRow } from "#src/feed/rows.ts"
import type { FeeEarnedData } from "./schemas.ts"
import { eventOf, marketOfToken, placeOnChain, timestampOf } from "./shared.ts"

export const feeData = (row: FeeRow, names: Names): FeeEarnedData => {
  const token = names.token(row.token)
  return {
    receiver: names.wallet(row.receiver),
    fee_usd: exactAmount(row.usd),
    token_id: token.id,
    ...marketOfToken(token),
    ...eventOf(token.info),
    order_hash: `0x${row.order_hash}`,
    ...placeOnChain(row),
    timestamp: timestampOf(row),
  }
}
