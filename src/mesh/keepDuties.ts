import { Duration, Effect, Layer, Schedule, Stream } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { RedisFailure } from "#src/platform/redis/Redis.ts"
import type { AnyDuty } from "./Duty.ts"
import { Jobs } from "./Jobs.ts"

const assert = (duty: AnyDuty, every: Duration.Duration) =>
  Effect.flatMap(Jobs, (jobs) =>
    Effect.tryPromise({
      try: () =>
        jobs
          .queue(duty.job)
          .upsertJobScheduler(
            duty.name,
            { every: Duration.toMillis(every) },
            { name: duty.job.name, data: duty.job.encode(duty.payload), opts: jobs.optionsOf(duty.job) },
          ),
      catch: (cause) => new RedisFailure({ cause }),
    }),
  )

/**
 * Keeps the duties' schedules in Redis: asserts them at start, whenever a cadence is tuned, and every 10 s, so that a wiped
 * Redis recovers. Any number of processes may do so; an equal schedule stays untouched.
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
