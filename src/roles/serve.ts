import { Duration, Effect } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { showDuration } from "#src/platform/config/Setting.ts"
import * as settings from "#src/platform/config/settings.ts"
import { isLoopback } from "#src/platform/http/clientAddress.ts"
import { Addresses } from "#src/platform/process/Addresses.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { Shutdown } from "#src/platform/process/Shutdown.ts"

/** A shutdown that takes this much longer than the grace hangs and is forced. */
const hangMillis = 20_000

/** Roles start concurrently; a fixed order keeps the line stable. */
const order = ["api", "docs", "explore", "ws", "ops", "sim"]

/** These listen on HOST. */
const onHost = ["api", "ws"]

/** The lines to print: the addresses on this machine, and whether other machines reach those on HOST. */
export const announcement = (isReady: boolean, addresses: ReturnType<Addresses["Service"]["list"]>, host: string) => {
  const sorted = addresses.toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  const words = sorted.map(([name, url]) => `${name} ${url}`)
  const open =
    host === "localhost" || isLoopback(host) ? [] : onHost.filter((name) => sorted.some(([known]) => known === name))
  return [
    [isReady ? "presage ready" : "presage answers, not ready", ...words].join("  "),
    ...(open.length === 0 ? [] : [`other machines reach ${open.join(" and ")} as well (HOST=${host})`]),
  ]
}

const announce = Effect.fnUntraced(function* (isReady: boolean) {
  const [addresses, config] = [yield* Addresses, yield* Configuration]
  const lines = announcement(isReady, addresses.list(), config.get(settings.host))
  process.stdout.write(lines.map((line) => `${line}\n`).join(""))
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
