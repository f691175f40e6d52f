import { Effect } from "effect"
import * as CatalogueStore from "#src/catalogue/CatalogueStore.ts"
import { historyIsComplete } from "#src/ledger/historyIsComplete.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { countStep } from "./CountStore.ts"
import { isAwaited, refreshFigures } from "./FigureStore.ts"
import { recountStep } from "./RecountStore.ts"

/**
 * Counts blocks until none are left, one transaction each, and then brings the figures up to date. While a backfill runs that
 * needs the whole machine, nothing is counted.
 */
export const refreshMarketStats = Effect.gen(function* () {
  const { sql, tx } = yield* Postgres
  const depth = (yield* Configuration).get(reorgDepth)
  const [ledger] = yield* sql<{ complete: boolean }>`select ${historyIsComplete(sql)} as complete`
  if (ledger?.complete !== true) return false
  if (yield* isAwaited(sql)) yield* CatalogueStore.analyze(sql)
  const repeated = { while: (isDone: boolean) => isDone }
  yield* Effect.repeat(tx(countStep(sql, depth)), repeated)
  yield* Effect.repeat(tx(recountStep(sql, depth)), repeated)
  return yield* tx(refreshFigures(sql, depth), "4 minutes")
})
