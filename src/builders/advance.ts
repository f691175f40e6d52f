import { Clock, Effect } from "effect"
import { reorgDepth } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { countBlocks } from "#src/rollups/progress.ts"
import { BuilderListing } from "#src/upstream/data/BuilderListing.ts"
import { count, nextRange } from "./CountStore.ts"
import { takePnl } from "./PnlStore.ts"
import { saveProfiles } from "./ProfileStore.ts"
import { moveWindows } from "./WindowStore.ts"

/** Ranks the users of all builders by the present gains and losses. */
export const rankBuilderUsers = Effect.flatMap(Postgres, ({ sql, tx }) => tx(takePnl(sql), "1 minute"))

/** Counts blocks until none are left, one transaction each, and then moves the windows. */
export const advanceBuilders = Effect.gen(function* () {
  const { sql, tx } = yield* Postgres
  const depth = (yield* Configuration).get(reorgDepth)
  yield* countBlocks(tx, { next: nextRange(sql, depth), count: (range) => count(sql, range) })
  // A window that is counted from the start has all fills of a month.
  yield* tx(moveWindows(sql), "5 minutes")
  // The first results do not wait for their own cadence, which is slow.
  const [ranked] = yield* sql`select from builder_pnl_state`
  if (ranked === undefined) yield* rankBuilderUsers
})

/** Reads the venue's list of builders. */
export const refreshProfiles = Effect.gen(function* () {
  const { sql, tx } = yield* Postgres
  const listed = yield* (yield* BuilderListing).all
  yield* tx(saveProfiles(sql, listed, yield* Clock.currentTimeMillis))
})
