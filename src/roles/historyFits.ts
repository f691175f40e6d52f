import { Effect, Layer } from "effect"
import { readHeld } from "#src/ledger/diskNeed.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { checkFits, historyNeed } from "./historyDisk.ts"
import { Stores } from "./Stores.ts"

/** Does not start on a disk that the history would fill. A process that joins another one leaves this to it. */
export const historyFits = Layer.effectDiscard(
  Effect.gen(function* () {
    const { embedded, joined } = yield* Stores
    if (joined || !embedded.includes("postgres")) return
    const { sql } = yield* Postgres
    const needed = yield* historyNeed(yield* readHeld(sql))
    if (needed !== undefined) yield* checkFits(needed)
  }),
)
