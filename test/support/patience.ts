import { Duration } from "effect"

/**
 * Milliseconds that a test waits at least for what has to happen. It only matters when it does not: on a busy machine
 * everything takes many times as long. `npm run test:soak` holds the service to what it promises.
 */
export const patience = 240_000

/** The same for a length of time that is at hand in another form. */
export const patientFor = (within: Duration.Input) => Math.max(Duration.toMillis(within), patience)

const isSoak = process.env.PRESAGE_SOAK === "1"

/** How long to wait for what is promised within so many milliseconds. */
export const patient = (withinMillis: number) => (isSoak ? withinMillis : Math.max(withinMillis, patience))
