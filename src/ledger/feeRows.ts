import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Column } from "#src/platform/bulkColumns.ts"
import { bulkInsertFrom } from "#src/platform/bulkInsert.ts"
import type { FeeCharge, FeeRefund } from "./model.ts"
import type { Numbers } from "./numbered.ts"
import { again, bytes, type FactsByKind, placeColumns } from "./placeRows.ts"

const feeColumns = {
  ...placeColumns,
  token: ["int4", (fee, { token }) => token(fee.token)],
  in_shares: ["bool", (fee) => fee.inShares],
  amount: ["amount", (fee) => fee.amount],
  order_hash: ["bytea", (fee) => bytes(fee.orderHash)],
} as const satisfies Readonly<Record<string, Column<FeeCharge | FeeRefund, Numbers>>>

const insertCharges = bulkInsertFrom<FeeCharge, Numbers>({
  table: "fee_charge",
  columns: {
    ...feeColumns,
    receiver: ["int4", (fee, { wallet }) => wallet(fee.receiver)],
    usd: ["amount", (fee) => fee.usd],
  },
  suffix: again,
})

const insertRefunds = bulkInsertFrom<FeeRefund, Numbers>({
  table: "fee_refund",
  columns: { ...feeColumns, wallet: ["int4", (fee, { wallet }) => wallet(fee.wallet)] },
  suffix: again,
})

/** Fees that were charged and what was given back of them. */
export const insertFees = (sql: SqlClient, those: FactsByKind, numbers: Numbers) =>
  Effect.andThen(insertCharges(sql, those("fee_charge"), numbers), insertRefunds(sql, those("fee_refund"), numbers))
