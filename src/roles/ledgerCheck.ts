import { Effect, Layer } from "effect"
import { Progress, percentOf } from "#src/ledger/Progress.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { Health } from "#src/platform/telemetry/Health.ts"

const nothingRead = "no block has been read yet: the node has not answered, or no process has the role worker"

/** Not ready until the history is complete. Afterwards a lagging ledger stays ready, and a halted one does not. */
export const ledgerCheck = Layer.effectDiscard(
  Effect.gen(function* () {
    const health = yield* Health
    const progress = yield* Progress
    yield* health.register(
      "ledger",
      Effect.flatMap(Effect.mapError(progress.ledger, describe), (ledger) => {
        if (ledger === undefined) return Effect.fail(nothingRead)
        if (ledger.halted !== undefined) return Effect.fail(ledger.halted)
        return ledger.hasCaughtUp
          ? Effect.succeed(`at block ${ledger.block}`)
          : Effect.fail(`reading the history: ${percentOf(ledger)} %, block ${ledger.block} of ${ledger.head}`)
      }),
    )
  }),
)
