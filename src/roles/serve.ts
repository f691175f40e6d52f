import { Duration, Effect } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { showDuration } from "#src/platform/config/Setting.ts"
import * as settings from "#src/platform/config/settings.ts"
import { Addresses } from "#src/platform/process/Addresses.ts"
import { exitCodes } from "#src/platform/process/runMain.ts"
import { Shutdown } from "#src/platform/process/Shutdown.ts"

/** Past the grace by this much, something hangs and will not end by itself. */
const hangMillis = 20_000

/** Roles start side by side; the line reads the same every time. */
const order = ["api", "docs", "live", "ws", "ops", "sim"]

const ready = Effect.gen(function* () {
  const addresses = yield* Addresses
  const sorted = [...addresses.list()].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  const words = sorted.map(([name, url]) => `${name} ${url}`)
  process.stdout.write(`${["presage ready", ...words].join("  ")}\n`)
})

/** Does what comes first, announces readiness and waits for the signal to stop; then all drains within one grace. */
export const serve = <E, R, R2 = never>(
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
