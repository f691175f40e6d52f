import { duties } from "#schedulers/index.ts"
import { keepDuties } from "#src/mesh/Duty.ts"

/** Sees to it that everything with a cadence is asked for in time. */
export const scheduler = keepDuties(duties)
