import { type Duration, Effect, Schedule } from "effect"
import { patientFor } from "./patience.ts"

/** Repeats the check until it is true; fails with `what` when the time is up. */
export const eventually = <E, R>(
  what: string,
  condition: Effect.Effect<boolean, E, R>,
  within: Duration.Input = "15 seconds",
) =>
  condition.pipe(
    Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: (holds) => holds }),
    Effect.timeoutOrElse({
      duration: patientFor(within),
      orElse: () => Effect.die(new Error(`did not happen in time: ${what}`)),
    }),
  )
