import { Duration, Effect, Layer, Schedule, Stream } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { fromRedis } from "#src/platform/redis/Redis.ts"
import type { AnyDuty } from "./Duty.ts"
import { Jobs } from "./Jobs.ts"

/** Clocks of the processes may differ by this much. */
export const skewMillis = 10_000

/**
 * BullMQ keeps the time of the next tick as it is. After the clock of a machine was ahead for a moment, that time may be
 * days away. No tick is further away than its cadence.
 */
const isTooFar = (next: number, every: number, now: number) => next > now + every + skewMillis

/** Why a duty does not tick now; undefined if its schedule is in order. */
export const scheduleProblem = (duty: AnyDuty, every: Duration.Duration) =>
  Effect.gen(function* () {
    const jobs = yield* Jobs
    // BullMQ uses this clock. The service has another one while it replays a recording.
    const now = Date.now()
    const found = yield* fromRedis(() => jobs.queue(duty.job).getJobScheduler(duty.name))
    if (found === undefined) return "missing" as const
    // The cadence may just have been tuned.
    const longest = Math.max(Duration.toMillis(every), found.every ?? 0)
    return isTooFar(found.next ?? 0, longest, now) ? ("too far ahead" as const) : undefined
  })

const assert = (duty: AnyDuty, every: Duration.Duration) =>
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const queue = jobs.queue(duty.job)
    if ((yield* scheduleProblem(duty, every)) === "too far ahead") {
      yield* fromRedis(() => queue.removeJobScheduler(duty.name))
      yield* Effect.logWarning(`the next tick of ${duty.name} was further away than its cadence; it is due now`)
    }
    yield* fromRedis(() =>
      queue.upsertJobScheduler(
        duty.name,
        { every: Duration.toMillis(every) },
        { name: duty.job.name, data: duty.job.encode(duty.payload), opts: jobs.optionsOf(duty.job) },
      ),
    )
  })

/**
 * Keeps the duties' schedules in Redis: asserts them at start, whenever a cadence is tuned, and every 10 s, so that a wiped
 * Redis recovers, and so does one with ticks of a clock that was ahead. Any number of processes may do so; an equal schedule
 * stays untouched.
 */
export const keepDuties = (duties: ReadonlyArray<AnyDuty>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const config = yield* Configuration
      const assertAll = Effect.forEach(
        duties,
        (duty) =>
          assert(duty, config.get(duty.every)).pipe(
            Effect.catch((error) => Effect.logWarning(`schedule of ${duty.name} not asserted: ${error.message}`)),
          ),
        { discard: true },
      )
      yield* Effect.forkScoped(Effect.repeat(assertAll, Schedule.spaced("10 seconds")))
      yield* Effect.forEach(
        duties,
        (duty) =>
          config.watch(duty.every).pipe(
            Stream.drop(1),
            Stream.runForEach((every) => Effect.ignore(assert(duty, every))),
            Effect.forkScoped,
          ),
        { discard: true },
      )
    }),
  )
