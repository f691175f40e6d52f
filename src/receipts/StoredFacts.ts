import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { FactKind } from "#src/domain/Fact.ts"
import { factKinds } from "#src/ledger/factRows.ts"

export type FactCounts = Partial<Record<FactKind, number>>

/** The number of facts that the ledger has of each kind, by block. */
export const countStored = Effect.fnUntraced(function* (sql: SqlClient, from: number, to: number) {
  const counts = new Map<number, FactCounts>()
  for (const kind of factKinds) {
    const rows = yield* sql<{ block: number; n: number }>`
      select block, count(*)::int as n from ${sql(kind)} where block between ${from} and ${to} group by block`
    for (const { block, n } of rows) counts.set(block, { ...counts.get(block), [kind]: n })
  }
  return counts
})
