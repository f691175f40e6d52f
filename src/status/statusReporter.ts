import { hostname } from "node:os"
import { Clock, Effect, Layer, Metric } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { abandonAfter } from "#src/platform/process/deadline.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { lastUndecodable } from "#src/upstream/undecodable.ts"
import { type Measurements, measurementsFrom, RateTracker } from "./measurements.ts"
import * as StatusStore from "./StatusStore.ts"
import { statusEvery } from "./settings.ts"

const roundsPerCleanup = 500

/**
 * Stores the measurements of this process every few seconds, so that other processes can show them. It reads the existing
 * metrics and adds nothing to the data path.
 */
export const statusReporter = Layer.effectDiscard(
  Effect.gen(function* () {
    const config = yield* Configuration
    const { sql } = yield* Postgres
    const clock = yield* Clock.Clock
    const since = clock.currentTimeMillisUnsafe()
    const process = `${hostname()}:${globalThis.process.pid}`
    const rates = new RateTracker()
    let round = 0
    let hasFailed = false

    const withRates = (source: string, measurements: Measurements, at: number): Measurements => ({
      ...measurements,
      rates: Object.fromEntries(
        Object.entries(measurements.counts).map(([name, total]) => [
          name,
          rates.perSecond(`${source} ${name}`, total, at),
        ]),
      ),
    })
    const once = Effect.gen(function* () {
      const at = Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
      const sources = measurementsFrom(yield* Metric.snapshot, yield* lastUndecodable)
      yield* StatusStore.write(
        sql,
        process,
        since,
        new Map([...sources].map(([source, measurements]) => [source, withRates(source, measurements, at)])),
      )
      if (round++ % roundsPerCleanup === 0) yield* StatusStore.deleteExpired(sql)
    }).pipe(
      Effect.andThen(Effect.sync(() => (hasFailed = false))),
      // Warns once per outage: other users of Postgres log it too.
      Effect.catch((error) =>
        Effect.suspend(() => {
          const log = hasFailed ? Effect.logDebug : Effect.logWarning
          hasFailed = true
          return log(`failed to store the status: ${describe(error)}`)
        }),
      ),
    )
    // A last report at shutdown shows at once that the followers of this process have ended.
    yield* Effect.addFinalizer(() => Effect.ignore(abandonAfter(once, "1 second", () => "no answer")))
    const pause = Effect.suspend(() => Effect.sleep(config.get(statusEvery)))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(once, pause)))
  }),
)
