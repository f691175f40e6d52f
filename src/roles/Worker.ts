import { Effect, Layer } from "effect"
import { Sharding } from "effect/unstable/cluster"
import { actors, jobHandlers } from "#actors/index.ts"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import { clusterRunner } from "#src/mesh/Cluster.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { Polling } from "#src/webhooks/polling/Polling.ts"
import { catalogueCheck } from "./catalogueCheck.ts"
import { ingestion } from "./Ingestion.ts"
import { ledgerCheck } from "./ledgerCheck.ts"
import { repairs } from "./Repair.ts"
import { Stores } from "./Stores.ts"
import { sourcesCheck } from "./sourcesCheck.ts"

const clusterCheck = Layer.effectDiscard(
  Effect.gen(function* () {
    const health = yield* Health
    const sharding = yield* Sharding.Sharding
    yield* health.register(
      "cluster",
      Effect.flatMap(sharding.isShutdown, (down) =>
        down ? Effect.fail("the runner has shut down") : Effect.succeed(undefined),
      ),
    )
  }),
)

/** Runs jobs and, as a runner of the cluster, its share of the actors. */
export const worker = Layer.mergeAll(
  repairs,
  Layer.provide(jobHandlers, Layer.merge(Layer.provide(Polling.layer, Enrichment.layer), ingestion)),
  Layer.mergeAll(actors, clusterCheck, ledgerCheck, catalogueCheck, sourcesCheck).pipe(
    Layer.provideMerge(ingestion),
    Layer.provide(Layer.unwrap(Effect.map(Stores, ({ databaseUrl }) => clusterRunner(databaseUrl)))),
  ),
)
