import { Effect, Layer } from "effect"
import { isAwaited } from "#src/market-stats/FigureStore.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { Health } from "#src/platform/telemetry/Health.ts"

/** Not ready until the lists of markets and events have figures. Read from the database: any worker may count them. */
export const figuresCheck = Layer.effectDiscard(
  Effect.gen(function* () {
    const health = yield* Health
    const { reads } = yield* Postgres
    let isCounted = false
    yield* health.register(
      "market_stats",
      Effect.gen(function* () {
        if (isCounted) return undefined
        isCounted = !(yield* Effect.mapError(isAwaited(reads), describe))
        return isCounted ? undefined : yield* Effect.fail("counting what is traded of markets and events")
      }),
    )
  }),
)
