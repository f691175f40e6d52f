import type { Simulation } from "../../Simulation.ts"
import { firstBlock } from "../../world/blockClock.ts"

/** What a node sees of the world. */
export type Sight = Pick<Simulation, "head" | "chain" | "logs" | "made">

/** The same from a node that does not have the newest blocks yet. */
export const lagging = ({ head, chain, logs, made }: Sight, blocks: number): Sight => ({
  head: Math.max(firstBlock, head - blocks),
  chain,
  logs,
  made,
})
