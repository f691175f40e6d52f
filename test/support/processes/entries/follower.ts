// The followers of the chain and the event log relay, as a worker runs them.
import { Effect, Layer } from "effect"
import { chainFollower } from "#actors/chainFollower.ts"
import { eventLogRelay } from "#actors/eventLogRelay.ts"
import { historyReader } from "#actors/historyReader.ts"
import { clusterRunner } from "#src/mesh/Cluster.ts"
import { ingestion } from "#src/roles/Ingestion.ts"
import { externalSimulator } from "#src/roles/SimulatorChild.ts"
import { Stores } from "#src/roles/Stores.ts"
import { runEntry } from "../entry.ts"

runEntry(
  Layer.mergeAll(chainFollower, historyReader, eventLogRelay).pipe(
    Layer.provide(ingestion),
    Layer.provide(externalSimulator),
    Layer.provide(Layer.unwrap(Effect.map(Stores, ({ databaseUrl }) => clusterRunner(databaseUrl)))),
  ),
)
