import { Duration, Effect, Option, Schedule } from "effect"
import { describe, retryTransient } from "#src/platform/sql/sqlFailure.ts"
import { Retryable } from "./Job.ts"
import type { Lease, Leases } from "./Lease.ts"

/**
 * Runs `work` unless another run of the same name is active anywhere; returns whether it ran. The lease is in Postgres, so
 * neither a wiped Redis nor a lost job lock lets two run side by side. A holder that was frozen and replaced is stopped,
 * and its fenced writes are refused.
 */
export const exclusively = <E, R>(
  leases: Leases["Service"],
  name: string,
  ttl: Duration.Duration,
  work: (lease: Option.Option<Lease>) => Effect.Effect<void, E, R>,
): Effect.Effect<boolean, E | Retryable, R> => {
  const unavailable = (error: Error) => new Retryable({ reason: describe(error) })
  return Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const taken = yield* restore(leases.tryTake(name, ttl)).pipe(Effect.mapError(unavailable))
      if (Option.isNone(taken)) return false
      const lease = taken.value
      const keep = leases
        .extend(lease, ttl)
        .pipe(
          retryTransient(Duration.times(ttl, 1 / 2)),
          Effect.schedule(Schedule.spaced(Duration.times(ttl, 1 / 3))),
          Effect.mapError(unavailable),
          Effect.andThen(Effect.never),
        )
      yield* restore(Effect.raceFirst(work(taken), keep)).pipe(Effect.ensuring(Effect.ignore(leases.release(lease))))
      return true
    }),
  )
}
