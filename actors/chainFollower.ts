import { Effect } from "effect"
import { followChain } from "#src/ledger/follow.ts"
import { followerLease } from "#src/ledger/pauseFollower.ts"
import { actor } from "#src/mesh/Actor.ts"
import { repairTimes } from "#src/repair/repairTimes.ts"

/** Reads the chain into the ledger, block by block. */
export const chainFollower = actor(followerLease, (lease) => Effect.andThen(repairTimes(lease), followChain(lease)))
