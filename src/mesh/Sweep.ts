import { type Duration, Effect, Layer, Schedule, Stream } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import type { Job } from "./Job.ts"
import { Jobs } from "./Jobs.ts"
import { sweepEvery } from "./settings.ts"

/** Jobs enqueued per round trip. */
const batch = 1000

/**
 * Postgres holds the truth about pending work; Redis only transports it. `due` streams the payloads of work that is due and
 * neither done nor failed for good. Enqueueing a job that is already queued changes nothing (same key), so a wiped Redis
 * refills by itself. Leave out work that became due a moment ago: its job is already on its way.
 */
export const sweep = <P, E, R>(job: Job<P>, due: Stream.Stream<P, E, R>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const jobs = yield* Jobs
      const config = yield* Configuration
      const round = due.pipe(
        Stream.grouped(batch),
        Stream.runForEach((payloads) => jobs.enqueueAll(job, payloads)),
        Effect.catch((error) => Effect.logWarning(`sweep of ${job.name} failed: ${describe(error)}`)),
      )
      const at = (every: Duration.Duration) => Effect.repeat(round, Schedule.spaced(every))
      yield* config.watch(sweepEvery).pipe(
        Stream.switchMap((every) => Stream.fromEffect(at(every))),
        Stream.runDrain,
        Effect.forkScoped,
      )
    }),
  )
