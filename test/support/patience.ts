import { Duration } from "effect"

/**
 * Minimum time that a test waits for an expected condition, in milliseconds. Only a failing test waits that long: a busy
 * machine is many times slower. `npm run test:soak` tests the actual guarantees.
 */
export const patience = 240_000

/** The same for a duration. */
export const patientFor = (within: Duration.Input) => Math.max(Duration.toMillis(within), patience)

const isSoak = process.env.PRESAGE_SOAK === "1"

/** How long to wait for something guaranteed within this many milliseconds. */
export const patient = (withinMillis: number) => (isSoak ? withinMillis : Math.max(withinMillis, patience))
