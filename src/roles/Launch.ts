import { Effect, Exit, Layer, Option, Schema, Scope } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { simulatorUrl, upstream } from "#src/upstream/settings.ts"
import { base } from "./Base.ts"
import { everyRole } from "./everyRole.ts"
import type { Role } from "./Process.ts"
import { portsAreFree } from "./portsAreFree.ts"
import { externalSimulator, simulatorChild } from "./SimulatorChild.ts"
import { serve } from "./serve.ts"

/** The simulated venue never shares an event loop with the service. */
export class SimulatorNotAlone extends Schema.TaggedError<SimulatorNotAlone>()("SimulatorNotAlone", {}) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return "the simulator has a process of its own: start it with ROLE=simulator and no other role"
  }
}

/** The roles that this process is configured with. */
const requestedRoles = Effect.gen(function* () {
  const names = new Set<Role>()
  for (const name of (yield* Configuration).get(settings.role)) {
    if (name === "simulator") return yield* new SimulatorNotAlone()
    for (const role of name === "all" ? everyRole : [name]) names.add(role)
  }
  return names
})

/** Runs the roles on one foundation until interrupted. */
const runRoles = Effect.gen(function* () {
  const config = yield* Configuration
  const names = yield* requestedRoles
  yield* portsAreFree(names)
  const isElsewhere = config.get(upstream) !== "simulator" || Option.isSome(config.get(simulatorUrl))
  const hasChild = config.get(settings.role).includes("all") && !isElsewhere
  yield* Effect.gen(function* () {
    // Servers listen before all parts have registered their checks.
    const starting = yield* Scope.make()
    const { register } = yield* Health
    yield* register("start", Effect.fail("the process is still starting")).pipe(Scope.provide(starting))
    // The venue takes longest to start, so it starts first while the other modules load.
    const venue = hasChild ? yield* simulatorChild : externalSimulator
    const { stepsFor, layerFor } = yield* Effect.promise(() => import("./Process.ts"))
    const { first, afterwards } = stepsFor(names)
    const started = Scope.close(starting, Exit.void)
    yield* Effect.provide(serve(Effect.andThen(started, first), afterwards), layerFor(names, venue))
  }).pipe(Effect.scoped, Effect.provide(base))
})

/** The venue alone loads far fewer modules. */
const runSimulator = Effect.flatMap(
  Effect.promise(() => import("./Simulator.ts")),
  ({ simulator }) => Effect.provide(serve(Effect.succeed(true)), Layer.provideMerge(simulator, base)),
)

export const launch = Effect.gen(function* () {
  const roles = (yield* Configuration).get(settings.role)
  return yield* roles.length === 1 && roles[0] === "simulator" ? runSimulator : runRoles
})
