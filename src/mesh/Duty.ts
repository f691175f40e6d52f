import { Duration, Effect, Layer, Schedule, Stream } from "effect"
import { Configuration } from "#src/platform/Configuration.ts"
import { RedisFailure } from "#src/platform/Redis.ts"
import * as Setting from "#src/platform/Setting.ts"
import type { Job } from "./Job.ts"
import { Jobs } from "./Jobs.ts"

/** Something that must happen again and again: a cadence and the job that is asked for at each tick. */
export interface Duty<P> {
  /** Names the schedule, its lease and its cadence; several duties may ask for the same job. */
  readonly name: string
  readonly job: Job<P>
  readonly payload: P
  readonly every: Setting.Setting<Duration.Duration>
}

export const make = <P>(options: {
  readonly name: string
  readonly job: Job<P>
  readonly payload: P
  readonly every: Duration.Input
}): Duty<P> => ({
  name: options.name,
  job: options.job,
  payload: options.payload,
  every: Setting.duration(`${options.name}.every`, {
    default: options.every,
    min: "100 millis",
    max: "7 days",
    live: true,
    doc: `Time between two ticks of ${options.name}`,
  }),
})

// biome-ignore lint/suspicious/noExplicitAny: a list of duties holds payloads of every type
export type AnyDuty = Duty<any>

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
 * Keeps the duties' schedules in Redis: asserted at once, again whenever a cadence is tuned, and every
 * 10 s, so that a wiped Redis heals. Any number of processes may do so; an equal schedule is left alone.
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
