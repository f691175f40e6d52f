import { Effect } from "effect"
import { reorgDepth } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { count, nextRange } from "./RollupStore.ts"
import { updateTotals } from "./totals.ts"
import { countWalletDays } from "./WalletDayStore.ts"

/** Counts blocks until none are left, one transaction each, and then adds up the totals. */
export const advanceRollups = Effect.gen(function* () {
  const { sql, tx } = yield* Postgres
  const depth = (yield* Configuration).get(reorgDepth)
  const step = tx(
    Effect.gen(function* () {
      const range = yield* nextRange(sql, depth)
      if (range === undefined) return false
      yield* count(sql, range)
      return true
    }),
  )
  yield* Effect.repeat(step, { while: (counted) => counted })
  yield* Effect.repeat(tx(countWalletDays(sql, depth)), { while: (counted) => counted })
  yield* tx(updateTotals(sql))
})
