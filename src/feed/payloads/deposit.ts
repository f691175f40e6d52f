import { exactAmount } from "#src/domain/amounts.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import type { Names } from "../Names.ts"
import type { FlowRow } from "../rows.ts"
import { placePayload } from "./place.ts"

/** The venue's collateral is made when it comes and unmade when it goes. */
const nobody = `0x${address.zero}`

export const depositPayload = (row: FlowRow, names: Names) => {
  const wallet = names.wallet(row.wallet)
  const isDeposit = row.amount >= 0n
  return {
    event_type: "deposit",
    ...placePayload(row),
    from: isDeposit ? nobody : wallet,
    to: isDeposit ? wallet : nobody,
    amount: exactAmount(isDeposit ? row.amount : -row.amount),
    direction: isDeposit ? "deposit" : "withdrawal",
  }
}
