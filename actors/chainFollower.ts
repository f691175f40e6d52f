import { followChain } from "#src/ledger/follow.ts"
import { actor } from "#src/mesh/Actor.ts"

/** Reads the chain into the ledger, one block after the other. */
export const chainFollower = actor("chain-follower", followChain)
