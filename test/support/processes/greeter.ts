import { Effect, Schema } from "effect"
import { Entity } from "effect/unstable/cluster"
import { Rpc } from "effect/unstable/rpc"

/** A sharded entity that tells which process it lives in. */
export const Greeter = Entity.make("Greeter", [Rpc.make("WhoAreYou", { success: Schema.Int })])

export const greeterHandlers = Greeter.toLayer({ WhoAreYou: () => Effect.succeed(process.pid) })
