import { Clock, Effect } from "effect"

/** A clock whose time the test sets, in milliseconds, and that sleeps in real time. */
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
