import { Effect, Schedule } from "effect"
import { Entity } from "effect/unstable/cluster"
import { Leases } from "./Lease.ts"

/**
 * The lease of a sharded entity, taken when it comes to life. The cluster moves an entity when its process dies, but a
 * frozen process wakes with its old copies: only writes through `lease.tx` count, as with singletons.
 */
export const entityLease = Effect.gen(function* () {
  const { entityType, entityId } = yield* Entity.CurrentAddress
  const leases = yield* Leases
  return yield* leases.seize(`${entityType}/${entityId}`)
})

/** For `Entity.toLayer`: one that died of a defect is made again after a moment. */
export const entitySupervision = { defectRetryPolicy: Schedule.jittered(Schedule.spaced("1 second")) } as const
