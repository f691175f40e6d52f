import { Effect, Layer, Option, Redacted } from "effect"
import { Keys } from "#src/keys/Keys.ts"
import { Addresses } from "#src/platform/process/Addresses.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { Endpoints, type SimulatorAddress } from "#src/upstream/Endpoints.ts"
import { api, ops } from "./Api.ts"
import { awaitHistory } from "./awaitHistory.ts"
import { awaitReady } from "./awaitReady.ts"
import { foundation } from "./Foundation.ts"
import { gateway } from "./Gateway.ts"
import { historyFits } from "./historyFits.ts"
import { scheduler } from "./Scheduler.ts"
import { Stores } from "./Stores.ts"
import { worker } from "./Worker.ts"

/**
 * Prints a key for the embedded instance to the terminal. It bypasses the logger because logs are stored and shipped.
 */
export const showDemoKey = Effect.gen(function* () {
  const { embedded } = yield* Stores
  if (!embedded.includes("postgres")) return
  const demo = yield* (yield* Keys).ensureDemo
  if (Option.isNone(demo)) {
    process.stdout.write("the demo key was revoked; create another with: npm run -s presage -- keys create\n")
    return
  }
  const key = Redacted.value(demo.value)
  const address = new Map((yield* Addresses).list()).get("api")
  process.stdout.write(`a key to try it (growth plan): ${key}\n  curl -H 'x-api-key: ${key}' ${address}/v1/status\n`)
}).pipe(Effect.catch((error) => Effect.logWarning(`failed to create a demo key: ${describe(error)}`)))

const roleLayers = { api, gateway, worker, scheduler }
export type Role = keyof typeof roleLayers

/** Libraries sometimes leave a rejected promise behind when a store goes down. Log it and keep running. */
const surviveRejections = Layer.effectDiscard(
  Effect.gen(function* () {
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const onRejection = (reason: unknown) => fork(Effect.logWarning("unhandled promise rejection", reason))
    yield* Effect.acquireRelease(
      Effect.sync(() => process.on("unhandledRejection", onRejection)),
      () => Effect.sync(() => process.off("unhandledRejection", onRejection)),
    )
  }),
)

/** The roles on one foundation, with a venue. */
export const layerFor = <E, R>(names: ReadonlySet<Role>, venue: Layer.Layer<SimulatorAddress, E, R>) => {
  const roles = [...names].map((name) => roleLayers[name])
  return Layer.mergeAll(surviveRejections, names.has("api") ? Layer.empty : ops, ...roles).pipe(
    Layer.provideMerge(historyFits),
    Layer.provideMerge(Layer.merge(foundation, venue)),
  )
}

/** What a worker waits for after the history: the rest of the catalogue, and figures of markets. */
const readyWithin = "10 minutes"

/** Without a node there is nothing to wait for; the follower logs that. */
const awaitAnswers = Effect.gen(function* () {
  const { rpc } = yield* Endpoints
  if (rpc.length === 0) return true
  yield* awaitHistory
  return yield* awaitReady(readyWithin)
})

/** Steps before and after readiness is announced. */
export const stepsFor = (names: ReadonlySet<Role>) => ({
  first: names.has("worker") ? awaitAnswers : Effect.succeed(true),
  afterwards: names.has("api") ? showDemoKey : Effect.void,
})
