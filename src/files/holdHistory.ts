import { Effect, Schedule } from "effect"
import { isSqlError } from "effect/unstable/sql/SqlError"
import { historyLease } from "#src/history/historyLease.ts"
import { type Lease, Leases } from "#src/mesh/Lease.ts"
import { copyConnection } from "#src/platform/sql/copyConnection.ts"
import { holdsLease } from "./FactFileStore.ts"
import { FilesRefused } from "./model.ts"

/** The session ends if the process is frozen for longer than a minute; then the history reader goes on. */
const signOfLife = Schedule.spaced("10 seconds")

const busy = new FilesRefused({
  reason: "another import is running, or the history reader does not end its work: try again later",
})

/**
 * Runs `work` with the lease of the history reader, which waits meanwhile: to take the lease it would have to change a row
 * that this locks.
 */
export const whileHoldingHistory = <A, E, R>(work: (lease: Lease) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const leases = yield* Leases
    const connection = yield* copyConnection
    yield* connection.query("begin")
    const take = Effect.gen(function* () {
      const lease = yield* leases.seize(historyLease)
      return { lease, isHeld: yield* holdsLease(connection, lease) }
    })
    // The reader may have taken it back in between.
    const { lease } = yield* Effect.repeat(take, { until: ({ isHeld }) => isHeld }).pipe(
      Effect.catchIf(
        (error) => isSqlError(error) && error.reason._tag === "LockTimeoutError",
        () => Effect.fail(busy),
      ),
    )
    const alive = Effect.andThen(Effect.repeat(connection.query("select 1"), signOfLife), Effect.never)
    return yield* Effect.raceFirst(work(lease), alive)
  }).pipe(Effect.scoped)
