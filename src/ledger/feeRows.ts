import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bulkInsert } from "#src/platform/bulkInsert.ts"
import type { Fact, FeeCharge, FeeRefund } from "./model.ts"
import type { Numbers } from "./numbered.ts"
import { again, bytes, of, type PlaceRow, placeColumns, placeRow } from "./placeRows.ts"

interface FeeRow extends PlaceRow {
  readonly token: number
  readonly in_shares: boolean
  readonly amount: bigint
  readonly order_hash: Buffer
}

const feeColumns = {
  ...placeColumns,
  token: "int4",
  in_shares: "bool",
  amount: "int8",
  order_hash: "bytea",
} as const

const insertCharges = bulkInsert<FeeRow & { receiver: number; usd: bigint }>({
  table: "fee_charge",
  columns: { ...feeColumns, receiver: "int4", usd: "int8" },
  suffix: again,
})

const insertRefunds = bulkInsert<FeeRow & { wallet: number }>({
  table: "fee_refund",
  columns: { ...feeColumns, wallet: "int4" },
  suffix: again,
})

/** Fees that were charged and what was given back of them. */
export const insertFees = Effect.fnUntraced(function* (
  sql: SqlClient,
  facts: ReadonlyArray<Fact>,
  { wallet, token }: Numbers,
) {
  const feeRow = (fact: FeeCharge | FeeRefund): FeeRow => ({
    ...placeRow(fact),
    token: token(fact.token),
    in_shares: fact.inShares,
    amount: BigInt(fact.amount),
    order_hash: bytes(fact.orderHash),
  })
  yield* insertCharges(
    sql,
    of(facts, "fee_charge").map((fact) => ({
      ...feeRow(fact),
      receiver: wallet(fact.receiver),
      usd: BigInt(fact.usd),
    })),
  )
  yield* insertRefunds(
    sql,
    of(facts, "fee_refund").map((fact) => ({ ...feeRow(fact), wallet: wallet(fact.wallet) })),
  )
})
