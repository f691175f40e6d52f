import { Duration, Effect } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { showDuration } from "#src/platform/config/Setting.ts"
import * as settings from "#src/platform/config/settings.ts"
import { Addresses } from "#src/platform/process/Addresses.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { Shutdown } from "#src/platform/process/Shutdown.ts"

/** A shutdown that takes this much longer than the grace hangs and is forced. */
const hangMillis = 20_000

/** Roles start concurrently; a fixed order keeps the line stable. */
const order = ["api", "docs", "explore", "ws", "ops", "sim"]

const announce = Effect.fnUntraced(function* (isReady: boolean) {
  const addresses = yield* Addresses
  const sorted = [...addresses.list()].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  const words = sorted.map(([name, url]) => `${name} ${url}`)
  process.stdout.write(`${[isReady ? "presage ready" : "presage answers, not ready", ...words].join("  ")}\n`)
})

/**
 * Runs `first`, which returns whether the process is ready, announces that, runs `afterwards` and waits for the signal to stop;
 * then all drain within one grace.
 */
export const serve = <E, R, R2 = never>(
  first: Effect.Effect<boolean, E, R>,
  afterwards: Effect.Effect<void, never, R | R2> = Effect.void,
) =>
  Effect.gen(function* () {
    const shutdown = yield* Shutdown
    const config = yield* Configuration
    yield* Effect.onInterrupt(
      Effect.all([Effect.flatMap(first, announce), afterwards, Effect.never], { discard: true }),
      () =>
        Effect.gen(function* () {
          yield* shutdown.begin
          const grace = config.get(settings.shutdownGrace)
          setTimeout(() => process.exit(exitCodes.drainCutShort), Duration.toMillis(grace) + hangMillis).unref()
          // A parent process logs this for its children.
          if (process.connected !== true)
            yield* Effect.logInfo(`stopping: work in flight has ${showDuration(grace)} to finish`)
        }),
    )
  })
