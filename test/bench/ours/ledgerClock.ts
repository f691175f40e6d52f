import { Clock, Effect, Layer } from "effect"
import { clockShowing } from "#test/support/clockShowing.ts"

/** A clock by which the kept ledger ends now, however long ago it was made. */
export const ledgerClock = Layer.effect(
  Clock.Clock,
  Effect.gen(function* () {
    const real = yield* Clock.Clock
    const ahead = real.currentTimeMillisUnsafe() - Number(process.env["BENCH_NOW"])
    return clockShowing(() => real.currentTimeMillisUnsafe() - ahead, real)
  }),
)
