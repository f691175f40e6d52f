import { Effect, Layer, Option } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { simulatorUrl, upstream } from "#src/upstream/settings.ts"
import { ground } from "./Ground.ts"
import { SimulatorAlone } from "./SimulatorAlone.ts"
import { simulatorChild, simulatorElsewhere } from "./SimulatorChild.ts"
import type { Role } from "./Stage.ts"
import { serve } from "./serve.ts"

const everyRole: ReadonlyArray<Role> = ["api", "gateway", "worker", "scheduler"]

/** The roles that this process was asked to play. */
const cast = Effect.gen(function* () {
  const names = new Set<Role>()
  for (const name of (yield* Configuration).get(settings.role)) {
    if (name === "simulator") return yield* new SimulatorAlone()
    for (const role of name === "all" ? everyRole : [name]) names.add(role)
  }
  return names
})

/** Plays the roles on one foundation until interrupted. */
const play = Effect.gen(function* () {
  const config = yield* Configuration
  const names = yield* cast
  const isElsewhere = config.get(upstream) !== "simulator" || Option.isSome(config.get(simulatorUrl))
  const hasChild = config.get(settings.role).includes("all") && !isElsewhere
  yield* Effect.gen(function* () {
    // The venue takes longest to start. It is begun before all else, and all else is loaded meanwhile.
    const venue = hasChild ? yield* simulatorChild : simulatorElsewhere
    const { playOf, stageOf } = yield* Effect.promise(() => import("./Stage.ts"))
    const { first, afterwards } = playOf(names)
    yield* Effect.provide(serve(first, afterwards), stageOf(names, venue))
  }).pipe(Effect.scoped, Effect.provide(ground))
})

/** The venue alone needs little of what the others do. */
const simulate = Effect.flatMap(
  Effect.promise(() => import("./Simulator.ts")),
  ({ simulator }) => Effect.provide(serve(Effect.void), Layer.provideMerge(simulator, ground)),
)

export const launch = Effect.gen(function* () {
  const asked = (yield* Configuration).get(settings.role)
  return yield* asked.length === 1 && asked[0] === "simulator" ? simulate : play
})
