import { Effect } from "effect"
import { reorgDepth } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { countBlocks } from "./progress.ts"
import { count, nextRange } from "./RollupStore.ts"
import { updateTotals } from "./totals.ts"
import { countWalletDays } from "./WalletDayStore.ts"

/** Counts blocks until none are left, one transaction each, and then adds up the totals. */
export const advanceRollups = Effect.gen(function* () {
  const { sql, tx } = yield* Postgres
  const depth = (yield* Configuration).get(reorgDepth)
  yield* countBlocks(tx, { next: nextRange(sql, depth), count: (range) => count(sql, range) })
  yield* Effect.repeat(tx(countWalletDays(sql, depth)), { while: (counted) => counted })
  yield* tx(updateTotals(sql))
})
