import { Effect, Layer } from "effect"
import { advanceBuilders, rankBuilderUsers, refreshProfiles } from "#src/builders/advance.ts"
import { BuildersAdvance, BuildersList, BuildersRank } from "#src/builders/contracts.ts"
import { retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { BuilderListing } from "#src/upstream/data/BuilderListing.ts"

export const builders = Layer.mergeAll(
  jobWorker(BuildersAdvance, () => Effect.mapError(advanceBuilders, retryable)),
  jobWorker(BuildersRank, () => Effect.mapError(rankBuilderUsers, retryable)),
  jobWorker(BuildersList, () => Effect.mapError(refreshProfiles, retryable)).pipe(Layer.provide(BuilderListing.layer)),
)
