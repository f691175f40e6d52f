import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Usdc } from "#src/domain/amounts.ts"
import { asOfSql } from "#src/ledger/asOf.ts"
import { type List, type ListSource, matching } from "./listSql.ts"
import type { ActivityFilter, FlowKind, ListedFlow } from "./model.ts"

const conditions: Readonly<Record<FlowKind, string>> = {
  all: "true",
  deposit: "f.amount > 0",
  withdrawal: "f.amount < 0",
}

const sourceOf = (kind: FlowKind): ListSource => ({
  table: "collateral_flow",
  kind: 0,
  owner: "wallet",
  columns: "f.amount",
  where: conditions[kind],
})

/** Deposits and withdrawals of collateral. */
export const flowsOf = (kind: FlowKind): List<{ readonly amount: Usdc<bigint> }, ListedFlow> => ({
  sources: [sourceOf(kind)],
  columns: "f.amount",
  joins: "",
  read: ({ amount }, listed) => ({ ...listed, amount }),
})

export interface FlowHead {
  readonly total_rows: number
  readonly deposited: Usdc<bigint>
  readonly withdrawn: Usdc<bigint>
}

/** The state of the ledger with the sums of all flows that match. */
export const flowHead = (sql: SqlClient, kind: FlowKind, filter: ActivityFilter, owner: number | undefined) => sql`
  select as_of.*, totals.* from (${sql.literal(asOfSql)}) as_of cross join (
    select count(*)::int as total_rows, coalesce(sum(f.amount) filter (where f.amount > 0), 0)::int8 as deposited,
      coalesce(-sum(f.amount) filter (where f.amount < 0), 0)::int8 as withdrawn
    from collateral_flow f where ${sql.and(matching(sql, sourceOf(kind), filter, owner))}) totals`
