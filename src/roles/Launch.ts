import { Duration, Effect, Layer } from "effect"
import { Addresses } from "#src/platform/Addresses.ts"
import { Configuration } from "#src/platform/Configuration.ts"
import { exitCodes } from "#src/platform/runMain.ts"
import { showDuration } from "#src/platform/Setting.ts"
import { Shutdown } from "#src/platform/Shutdown.ts"
import * as settings from "#src/platform/settings.ts"
import { api, ops } from "./Api.ts"
import { foundation } from "./Foundation.ts"
import { gateway } from "./Gateway.ts"
import { scheduler } from "./Scheduler.ts"
import { simulator } from "./Simulator.ts"
import { worker } from "./Worker.ts"

/** Past the grace by this much, something hangs and will not end by itself. */
const hangMillis = 20_000

const everyRole = ["api", "gateway", "worker", "scheduler"] as const

const roleLayers = { api, gateway, worker, scheduler, simulator }

/** The roles that this process was asked to play, on one foundation. */
const cast = Effect.gen(function* () {
  const config = yield* Configuration
  const asked = config.get(settings.role)
  const names = new Set(asked.flatMap((name) => (name === "all" ? everyRole : [name])))
  const layers = [...names].map((name) => roleLayers[name])
  return Layer.mergeAll(names.has("api") ? Layer.empty : ops, ...layers)
})

/** Roles start side by side; the line reads the same every time. */
const order = ["api", "docs", "ws", "ops"]

const ready = Effect.gen(function* () {
  const addresses = yield* Addresses
  const sorted = [...addresses.list()].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  const words = sorted.map(([name, url]) => `${name} ${url}`)
  process.stdout.write(`${["presage ready", ...words].join("  ")}\n`)
})

/** Starts everything, says so, and runs until interrupted; then drains within the grace. */
export const launch = Effect.gen(function* () {
  const shutdown = yield* Shutdown
  const config = yield* Configuration
  yield* ready
  yield* Effect.onInterrupt(Effect.never, () =>
    Effect.gen(function* () {
      yield* shutdown.begin
      const grace = yield* shutdown.remaining
      setTimeout(() => process.exit(exitCodes.drainCutShort), Duration.toMillis(grace) + hangMillis).unref()
      yield* Effect.logInfo(
        `stopping: what is in flight has ${showDuration(config.get(settings.shutdownGrace))} to finish`,
      )
    }),
  )
}).pipe(Effect.provide(Layer.unwrap(cast).pipe(Layer.provideMerge(foundation))))
