import { Effect, Layer } from "effect"
import type { SimulatorAddress } from "#src/upstream/Endpoints.ts"
import { api, ops } from "./Api.ts"
import { awaitHistory } from "./awaitHistory.ts"
import { showDemoKey } from "./demoKey.ts"
import { foundation } from "./Foundation.ts"
import { gateway } from "./Gateway.ts"
import { scheduler } from "./Scheduler.ts"
import { worker } from "./Worker.ts"

const roleLayers = { api, gateway, worker, scheduler }
export type Role = keyof typeof roleLayers

/** Libraries now and then leave a rejected promise behind when a store goes away. It is worth a line, not our life. */
const surviveRejections = Layer.effectDiscard(
  Effect.gen(function* () {
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const onRejection = (reason: unknown) =>
      fork(Effect.logWarning("a promise was rejected and nobody listened", reason))
    yield* Effect.acquireRelease(
      Effect.sync(() => process.on("unhandledRejection", onRejection)),
      () => Effect.sync(() => process.off("unhandledRejection", onRejection)),
    )
  }),
)

/** The roles on one foundation, beside a venue. */
export const stageOf = <E, R>(names: ReadonlySet<Role>, venue: Layer.Layer<SimulatorAddress, E, R>) => {
  const roles = [...names].map((name) => roleLayers[name])
  return Layer.mergeAll(surviveRejections, names.has("api") ? Layer.empty : ops, ...roles).pipe(
    Layer.provideMerge(Layer.merge(foundation, venue)),
  )
}

/** What comes before readiness is announced, and after it. */
export const playOf = (names: ReadonlySet<Role>) => ({
  first: names.has("worker") ? awaitHistory : Effect.void,
  afterwards: names.has("api") ? showDemoKey : Effect.void,
})
