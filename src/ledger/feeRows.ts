import type { FeeCharge, FeeRefund } from "#src/domain/Fact.ts"
import type { Column } from "#src/platform/sql/bulkColumns.ts"
import type { BulkColumns } from "#src/platform/sql/bulkInsert.ts"
import type { Numbers } from "./numbered.ts"
import { again, bytes, placeColumns } from "./placeRows.ts"

const feeColumns = {
  ...placeColumns,
  token: ["int4", (fee, { token }) => token(fee.token)],
  in_shares: ["bool", (fee) => fee.inShares],
  amount: ["amount", (fee) => fee.amount],
  order_hash: ["bytea", (fee) => bytes(fee.orderHash)],
} as const satisfies Readonly<Record<string, Column<FeeCharge | FeeRefund, Numbers>>>

/** Fees that were charged. */
export const charges: BulkColumns<FeeCharge, Numbers> = {
  table: "fee_charge",
  columns: {
    ...feeColumns,
    receiver: ["int4", (fee, { wallet }) => wallet(fee.receiver)],
    usd: ["amount", (fee) => fee.usd],
  },
  suffix: again,
}

/** What was given back of them. */
export const refunds: BulkColumns<FeeRefund, Numbers> = {
  table: "fee_refund",
  columns: { ...feeColumns, wallet: ["int4", (fee, { wallet }) => wallet(fee.wallet)] },
  suffix: again,
}
