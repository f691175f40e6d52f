import type { Plan } from "#src/domain/Plan.ts"
import type { Bucket } from "#src/limits/model.ts"

/** Monthly units; an answer with status 200 uses one. */
export interface MonthlyUnits {
  readonly name: string
  readonly perMonth: Readonly<Record<Plan, number>>
}

/** Who may call an endpoint, and what a call costs. */
export interface Rule {
  /** `optional`: a request without a key is allowed, but a key that is sent must be valid. */
  readonly key: "needed" | "optional" | "none"
  readonly minPlan: Plan
  /** Refused while Redis is unavailable; other endpoints fall back to the windows of this process. */
  readonly needsRedis: boolean
  /** Also counts as a V3 trade history. */
  readonly heavy: boolean
  /** Limit per key on this endpoint, in addition to the account's. */
  readonly perKey: Bucket | undefined
  readonly units: MonthlyUnits | undefined
}

export const anyKey: Rule = {
  key: "needed",
  minPlan: "free",
  needsRedis: false,
  heavy: false,
  perKey: undefined,
  units: undefined,
}
