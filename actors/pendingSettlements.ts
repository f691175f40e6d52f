import { Layer } from "effect"
import { actor } from "#src/mesh/Actor.ts"
import { followPending } from "#src/settlements/follow.ts"
import { SettlementStore } from "#src/settlements/SettlementStore.ts"

/** Tells of matches before they are in a block, and of those that never are. */
export const pendingSettlements = actor("pending-settlements", followPending).pipe(Layer.provide(SettlementStore.layer))
