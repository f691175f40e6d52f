import { Clock, Effect } from "effect"

/** The time of a replay. It stands still until it is started. */
export class ReplayTime {
  #at: number
  #since = 0
  #speed = 0

  constructor(at: number) {
    this.#at = at
  }

  /** Milliseconds, as on the day of the recording. */
  now(): number {
    return Math.floor(this.#at + (performance.now() - this.#since) * this.#speed)
  }

  /** Runs this many times as fast as real time, from the given moment on. */
  run(speed: number, at = this.now()): void {
    this.#at = at
    this.#since = performance.now()
    this.#speed = speed
  }

  /** Stands still at this moment. */
  hold(at: number): void {
    this.run(0, at)
  }
}

/** Shows the time of the replay. It sleeps in real time: timeouts and intervals are about this machine, not the recording. */
export const replayClock = (time: ReplayTime, real: Clock.Clock): Clock.Clock => {
  const nanos = () => BigInt(time.now()) * 1_000_000n
  return Clock.Clock.of({
    currentTimeMillisUnsafe: () => time.now(),
    currentTimeMillis: Effect.sync(() => time.now()),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration),
  })
}
