import { Cause, Effect, Metric, Schedule } from "effect"
import { Singleton } from "effect/unstable/cluster"
import type { Lease } from "./Lease.ts"
import { Leases } from "./Lease.ts"

const restarts = Metric.counter("presage_actor_restarts_total", {
  description: "Times an actor failed and was started again",
  incremental: true,
})
const epoch = Metric.gauge("presage_actor_epoch", {
  description: "Epoch of the actor's lease in the process that runs it; 0 where it ran before",
})

const restartDelay = Schedule.jittered(Schedule.spaced("1 second"))

/**
 * Something long-lived of which exactly one runs in the whole cluster. The cluster starts it elsewhere
 * when its process dies, but neither restarts nor reports it when it fails: that is done here. Each
 * start takes the lease, and only writes through `lease.tx` count.
 */
export const actor = <E, R>(name: string, run: (lease: Lease) => Effect.Effect<void, E, R>) =>
  Singleton.make(
    name,
    Effect.gen(function* () {
      const leases = yield* Leases
      const life = Effect.gen(function* () {
        const lease = yield* leases.seize(name)
        yield* Metric.update(Metric.withAttributes(epoch, { actor: name }), Number(lease.epoch))
        yield* Effect.logDebug(`actor ${name} runs with epoch ${lease.epoch}`)
        yield* Effect.scoped(run(lease)).pipe(
          Effect.ensuring(Metric.update(Metric.withAttributes(epoch, { actor: name }), 0)),
        )
        return yield* Effect.die(new Error(`actor ${name} ended, which actors do not do`))
      })
      yield* life.pipe(
        Effect.tapCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.void
            : Effect.andThen(
                Metric.update(Metric.withAttributes(restarts, { actor: name }), 1),
                Effect.logWarning(`actor ${name} failed and is started again`, cause),
              ),
        ),
        Effect.sandbox,
        Effect.retry(restartDelay),
        Effect.orDie,
        Effect.annotateLogs({ actor: name }),
      )
    }),
  )
