import { Effect, Layer } from "effect"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { type IdleSource, Status } from "#src/status/Status.ts"

/** Other sources may be silent because of their upstream alone; without new blocks nothing of the ledger is current. */
const isEssential = ({ source, isFollowed }: IdleSource) => !isFollowed || source === "chain"

/** Not ready while a source has old data that no process renews. Names other late sources. */
export const sourcesCheck = Layer.effectDiscard(
  Effect.gen(function* () {
    const health = yield* Health
    const { idle } = yield* Status
    yield* health.register(
      "sources",
      Effect.flatMap(Effect.mapError(idle, describe), (sources) => {
        const reasons = sources.map(({ reason }) => reason).join("; ")
        return sources.some(isEssential) ? Effect.fail(reasons) : Effect.succeed(reasons || undefined)
      }),
    )
  }),
).pipe(Layer.provide(Status.layer))
