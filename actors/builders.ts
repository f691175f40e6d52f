import { Effect, Layer } from "effect"
import { advanceBuilders, rankBuilderUsers, refreshProfiles } from "#src/builders/advance.ts"
import { BuildersAdvance, BuildersList, BuildersRank } from "#src/builders/contracts.ts"
import { Retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { BuilderListing } from "#src/upstream/data/BuilderListing.ts"

const failed = (error: unknown) => new Retryable({ reason: describe(error) })

export const builders = Layer.mergeAll(
  jobWorker(BuildersAdvance, () => Effect.mapError(advanceBuilders, failed)),
  jobWorker(BuildersRank, () => Effect.mapError(rankBuilderUsers, failed)),
  jobWorker(BuildersList, () => Effect.mapError(refreshProfiles, failed)).pipe(Layer.provide(BuilderListing.layer)),
)
