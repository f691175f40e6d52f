import { type Duration, Effect, Schedule } from "effect"
import { patientFor } from "./patience.ts"

/** Rarer after a while: many tests wait at a time, and most checks ask the database. */
export const looks = Schedule.min([Schedule.exponential("30 millis", 1.2), Schedule.spaced("150 millis")])

/** Repeats the check until it is true; fails with `what` when the time is up. */
export const eventually = <E, R>(
  what: string,
  condition: Effect.Effect<boolean, E, R>,
  within: Duration.Input = "15 seconds",
) =>
  condition.pipe(
    Effect.repeat({ schedule: looks, until: (holds) => holds }),
    Effect.timeoutOrElse({
      duration: patientFor(within),
      orElse: () => Effect.die(new Error(`did not happen in time: ${what}`)),
    }),
  )
