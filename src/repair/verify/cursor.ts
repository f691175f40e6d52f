import { Effect } from "effect"
import { factTables } from "#src/ledger/LedgerRows.ts"
import { check, type Picture } from "./Check.ts"

/** Nothing is written of blocks that the ledger has not reached. */
export const checkCursor = Effect.fnUntraced(function* ({ sql, block }: Picture) {
  const counts = yield* Effect.forEach(factTables, (table) =>
    Effect.map(
      sql<{ n: number }>`select count(*)::int as n from ${sql(table)} where block > ${block}`,
      ([row]) => row?.n ?? 0,
    ),
  )
  const beyond = counts.reduce((sum, n) => sum + n, 0)
  return check(
    "cursor",
    beyond,
    `at block ${block}, nothing beyond it`,
    `${beyond} rows lie beyond block ${block}, where the ledger stands`,
  )
})
