import { Effect, Layer } from "effect"
import { readHeld } from "#src/ledger/diskNeed.ts"
import { AutoHistoryDays, usualDays } from "#src/ledger/historyGoal.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { checkFits, historyNeed, whyFewer } from "./historyDisk.ts"
import { Stores } from "./Stores.ts"

/**
 * Shortens a history that nobody asked for by name to what fits on the disk, and does not start if one that was asked for
 * does not fit. A process that joins another one leaves the latter to it.
 */
export const historyFits = Layer.effect(
  AutoHistoryDays,
  Effect.gen(function* () {
    const { embedded, joined } = yield* Stores
    if (!embedded.includes("postgres")) return usualDays
    const { sql } = yield* Postgres
    const need = yield* historyNeed(yield* readHeld(sql))
    if (joined) return need.autoDays
    if (need.missing !== undefined) yield* checkFits(need.missing)
    const fewer = whyFewer(need)
    if (fewer !== undefined) yield* Effect.logWarning(fewer)
    return need.autoDays
  }),
)
