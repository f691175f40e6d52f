import { hash } from "../random.ts"
import type { Market } from "./Venue.ts"

export interface Rewards {
  /** USD a day for all makers together; 0 without a programme. */
  readonly daily: number
  readonly minSize: number
  /** In cents. */
  readonly maxSpread: number
}

/** Makers are paid for orders close to the middle, in the busier half of the markets that last. */
export const rewardsOf = ({ index, plan }: Market): Rewards => {
  const isPaid = plan.rule.kind === "fate" && plan.sportsMarketType === undefined && plan.weight >= 2
  if (!isPaid) return { daily: 0, minSize: 0, maxSpread: 0 }
  return {
    daily: 5 * (1 + (hash(index, 12) % 8)),
    minSize: plan.weight > 20 ? 200 : 50,
    maxSpread: plan.tickSize === "0.01" ? 4.5 : 3.5,
  }
}
