import { Effect, Schema } from "effect"
import { Entity } from "effect/unstable/cluster"
import { Rpc } from "effect/unstable/rpc"
import { entitySupervision } from "#src/mesh/Actor.ts"
import { Leases } from "#src/mesh/Lease.ts"

/** A sharded entity that returns the process it runs in, unless it has been replaced. */
export const Greeter = Entity.make("Greeter", [Rpc.make("WhoAreYou", { success: Schema.Int })])

export const greeterHandlers = Greeter.toLayer(
  Effect.gen(function* () {
    const { entityId } = yield* Entity.CurrentAddress
    const leases = yield* Leases
    const lease = yield* Effect.orDie(leases.seize(`greeter/${entityId}`))
    return Greeter.of({ WhoAreYou: () => Effect.orDie(lease.tx(Effect.succeed(process.pid))) })
  }),
  entitySupervision,
)
