import { Layer } from "effect"
import { actor } from "#src/mesh/Actor.ts"
import { followDataStreams } from "#src/ticks/followDataStreams.ts"
import { followPlatform } from "#src/ticks/followPlatform.ts"
import { TickStore } from "#src/ticks/TickStore.ts"
import { TickTail } from "#src/ticks/TickTail.ts"
import { DataStreams } from "#src/upstream/oracle/DataStreams.ts"
import { Polybolt } from "#src/upstream/oracle/Polybolt.ts"
import { Rtds } from "#src/upstream/oracle/Rtds.ts"

const needs = Layer.mergeAll(TickStore.layer, TickTail.layer, DataStreams.layer, Polybolt.layer, Rtds.layer)

/** One follower per price source. */
export const oracleFeeds = Layer.mergeAll(
  actor("oracle-feed/oracle_data_streams", followDataStreams),
  actor("oracle-feed/platform_oracle", followPlatform("platform_oracle")),
  actor("oracle-feed/platform_twap60", followPlatform("platform_twap60")),
).pipe(Layer.provide(needs))
