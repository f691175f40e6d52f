import { Layer } from "effect"
import { actor } from "#src/mesh/Actor.ts"
import { followPending } from "#src/settlements/follow.ts"
import { Settlements } from "#src/settlements/Settlements.ts"

/** Publishes matches before their block, and those that are dropped. */
export const pendingSettlements = actor("pending-settlements", followPending).pipe(Layer.provide(Settlements.layer))
