import { hash, seedOf } from "../../random.ts"
import type { Facts } from "../../world/Facts.ts"

const gwei = 1_000_000_000
const seed = seedOf(0, "gas")

export const gasLimit = 60_000_000
export const tip = 30 * gwei

export const baseFeeOf = (block: number): number => 25 * gwei + (hash(seed, block) % (10 * gwei))

/** More for every order that is filled. */
export const gasOf = (facts: Facts, act: number): number =>
  84_000 + facts.fillCount.get(act) * 71_000 + (hash(seed, act, 1) % 9_000)
