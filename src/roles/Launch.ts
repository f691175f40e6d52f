import { Duration, Effect, Layer, Option } from "effect"
import { Addresses } from "#src/platform/Addresses.ts"
import { Configuration } from "#src/platform/Configuration.ts"
import { exitCodes } from "#src/platform/runMain.ts"
import { showDuration } from "#src/platform/Setting.ts"
import { Shutdown } from "#src/platform/Shutdown.ts"
import * as settings from "#src/platform/settings.ts"
import { simulatorUrl, upstream } from "#src/upstream/settings.ts"
import { api, ops } from "./Api.ts"
import { awaitHistory } from "./awaitHistory.ts"
import { showDemoKey } from "./demoKey.ts"
import { foundation, ground } from "./Foundation.ts"
import { gateway } from "./Gateway.ts"
import { scheduler } from "./Scheduler.ts"
import { SimulatorAlone, simulator } from "./Simulator.ts"
import { simulatorChild, simulatorElsewhere } from "./SimulatorChild.ts"
import { worker } from "./Worker.ts"

/** Past the grace by this much, something hangs and will not end by itself. */
const hangMillis = 20_000

const everyRole = ["api", "gateway", "worker", "scheduler"] as const

const roleLayers = { api, gateway, worker, scheduler }

/** The roles that this process was asked to play. */
const cast = Effect.gen(function* () {
  const names = new Set<keyof typeof roleLayers>()
  for (const name of (yield* Configuration).get(settings.role)) {
    if (name === "simulator") return yield* new SimulatorAlone()
    for (const role of name === "all" ? everyRole : [name]) names.add(role)
  }
  return names
})

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

/** Roles start side by side; the line reads the same every time. */
const order = ["api", "docs", "live", "ws", "ops", "sim"]

const ready = Effect.gen(function* () {
  const addresses = yield* Addresses
  const sorted = [...addresses.list()].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  const words = sorted.map(([name, url]) => `${name} ${url}`)
  process.stdout.write(`${["presage ready", ...words].join("  ")}\n`)
})

/** Does what comes first, announces readiness and waits for the signal to stop; then all drains within one grace. */
const serve = <E, R, R2 = never>(
  first: Effect.Effect<void, E, R>,
  afterwards: Effect.Effect<void, never, R | R2> = Effect.void,
) =>
  Effect.gen(function* () {
    const shutdown = yield* Shutdown
    const config = yield* Configuration
    yield* Effect.onInterrupt(Effect.all([first, ready, afterwards, Effect.never], { discard: true }), () =>
      Effect.gen(function* () {
        yield* shutdown.begin
        const grace = config.get(settings.shutdownGrace)
        setTimeout(() => process.exit(exitCodes.drainCutShort), Duration.toMillis(grace) + hangMillis).unref()
        // Whoever started us as a part of itself says it for both.
        if (process.connected !== true)
          yield* Effect.logInfo(`stopping: what is in flight has ${showDuration(grace)} to finish`)
      }),
    )
  })

/** Plays the roles on one foundation until interrupted. */
export const launch = Effect.gen(function* () {
  const config = yield* Configuration
  const asked = config.get(settings.role)
  if (asked.length === 1 && asked[0] === "simulator")
    return yield* Effect.provide(serve(Effect.void), Layer.provideMerge(simulator, ground))
  const names = yield* cast
  const roles = [...names].map((name) => roleLayers[name])
  const isElsewhere = config.get(upstream) !== "simulator" || Option.isSome(config.get(simulatorUrl))
  const venue = asked.includes("all") && !isElsewhere ? simulatorChild : simulatorElsewhere
  // The venue and the stores start side by side.
  const stage = Layer.mergeAll(surviveRejections, names.has("api") ? Layer.empty : ops, ...roles).pipe(
    Layer.provideMerge(Layer.merge(foundation, venue)),
  )
  const history = names.has("worker") ? awaitHistory : Effect.void
  const welcome = names.has("api") ? showDemoKey : Effect.void
  yield* Effect.provide(serve(history, welcome), Layer.provideMerge(stage, ground))
})
