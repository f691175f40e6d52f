import { Clock, Effect } from "effect"

/** A clock that shows what the test says, in milliseconds, and waits as the real one does. */
export const clockShowing = (now: () => number, real: Clock.Clock): Clock.Clock =>
  Clock.Clock.of({
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration),
  })
