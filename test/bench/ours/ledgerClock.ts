import { Clock, Effect, Layer } from "effect"
import { clockShowing } from "#test/support/clockShowing.ts"

/** A clock that stands at the end of the kept ledger, so that a window reaches equally far back for everybody. */
export const ledgerClock = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (real) => clockShowing(() => Number(process.env["BENCH_NOW"]), real)),
)
