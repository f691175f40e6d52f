import { Clock, Effect, Layer } from "effect"
import { clockShowing } from "#test/support/clockShowing.ts"

/** A clock fixed at the end of the stored ledger, so that all processes use the same windows. */
export const ledgerClock = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (real) => clockShowing(() => Number(process.env["BENCH_NOW"]), real)),
)
