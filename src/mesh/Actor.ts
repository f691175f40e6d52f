import { Cause, Effect, Metric, Schedule, type Scope } from "effect"
import { Entity, Singleton } from "effect/unstable/cluster"
import { isSqlError } from "effect/unstable/sql/SqlError"
import { type Lease, Leases } from "./Lease.ts"

const restarts = Metric.counter("presage_actor_restarts_total", {
  description: "Restarts of an actor after a failure",
  incremental: true,
})
const epoch = Metric.gauge("presage_actor_epoch", {
  description: "Epoch of the actor's lease in the process that runs it; 0 in a process that ran it before",
})

const restartDelay = Schedule.jittered(Schedule.spaced("1 second"))

const isLockTimeout = (error: unknown) => isSqlError(error) && error.reason._tag === "LockTimeoutError"

/** Takes the lease. Waits while a command holds it, for example an import, however long that takes. */
const seize = (leases: Leases["Service"], name: string) => {
  const inUse = Effect.logInfo(`actor ${name} waits: a command has its lease`)
  const taken = leases.seize(name)
  return Effect.catchIf(taken, isLockTimeout, () =>
    Effect.andThen(inUse, Effect.retry(taken, { while: isLockTimeout, schedule: restartDelay })),
  )
}

/**
 * Runs an actor under its lease, forever. The cluster starts an actor elsewhere when its process dies, but neither restarts
 * nor reports one that fails: this does. Each start takes the lease, and only writes through `lease.tx` take effect.
 */
const supervise = <E, R>(
  name: string,
  leaseName: string,
  run: (lease: Lease) => Effect.Effect<void, E, R>,
): Effect.Effect<void, never, Exclude<R, Scope.Scope> | Leases> =>
  Effect.gen(function* () {
    const leases = yield* Leases
    const started = Effect.gen(function* () {
      const lease = yield* seize(leases, leaseName)
      yield* Metric.update(Metric.withAttributes(epoch, { actor: leaseName }), Number(lease.epoch))
      yield* Effect.logDebug(`actor ${leaseName} runs with epoch ${lease.epoch}`)
      yield* Effect.scoped(run(lease)).pipe(
        Effect.ensuring(Metric.update(Metric.withAttributes(epoch, { actor: leaseName }), 0)),
      )
      return yield* Effect.die(new Error(`actor ${leaseName} ended, but actors must run forever`))
    })
    yield* started.pipe(
      Effect.tapCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : Effect.andThen(
              Metric.update(Metric.withAttributes(restarts, { actor: name }), 1),
              Effect.logWarning(`actor ${leaseName} failed and restarts`, cause),
            ),
      ),
      Effect.sandbox,
      Effect.retry(restartDelay),
      Effect.orDie,
      Effect.annotateLogs({ actor: leaseName }),
    )
  })

/** A long-lived program of which exactly one runs in the whole cluster. */
export const actor = <E, R>(name: string, run: (lease: Lease) => Effect.Effect<void, E, R>) =>
  Singleton.make(name, supervise(name, name, run))

/**
 * Runs an actor inside a sharded entity, in the background for as long as the entity lives. The cluster moves an entity when
 * its process dies, but a frozen process wakes with its old copies, so each entity has a lease of its own.
 */
export const runInEntity = <E, R>(run: (entityId: string, lease: Lease) => Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    const { entityType, entityId } = yield* Entity.CurrentAddress
    const program = supervise(entityType, `${entityType}/${entityId}`, (lease) => run(entityId, lease))
    yield* Effect.forkScoped(program)
  })

/** For `Entity.toLayer`: restarts an entity that failed with a defect. */
export const entitySupervision = { defectRetryPolicy: restartDelay } as const
