import { Effect, Layer, Metric, Schedule } from "effect"
import type { Job } from "./Job.ts"
import { Jobs } from "./Jobs.ts"
import { queueStates } from "./Queues.ts"

const depth = Metric.gauge("presage_jobs_held", { description: "Jobs in Redis, by queue and state" })

/** Reports the number of jobs in each queue as a metric. */
export const queueDepth = (jobs: ReadonlyArray<Pick<Job<never>, "name">>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { queue } = yield* Jobs
      const measure = Effect.forEach(
        jobs,
        (job) =>
          Effect.gen(function* () {
            const counts = yield* Effect.tryPromise(() => queue(job).getJobCounts(...queueStates))
            for (const state of queueStates) {
              yield* Metric.update(Metric.withAttributes(depth, { queue: job.name, state }), counts[state] ?? 0)
            }
          }),
        { discard: true },
      )
      yield* Effect.forkScoped(Effect.repeat(Effect.ignore(measure), Schedule.spaced("10 seconds")))
    }),
  )
