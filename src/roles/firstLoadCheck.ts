import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { Health } from "#src/platform/telemetry/Health.ts"

/**
 * Not ready until nothing is missing; once complete, it stays so. Read from the database: another process may do the work.
 */
export const firstLoadCheck = (
  name: string,
  missing: (reads: SqlClient) => Effect.Effect<string | undefined, SqlError>,
) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const health = yield* Health
      const { reads } = yield* Postgres
      let isComplete = false
      yield* health.register(
        name,
        Effect.gen(function* () {
          if (isComplete) return undefined
          const reason = yield* Effect.mapError(missing(reads), describe)
          isComplete = reason === undefined
          return reason === undefined ? undefined : yield* Effect.fail(reason)
        }),
      )
    }),
  )
