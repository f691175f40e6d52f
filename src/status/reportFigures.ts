import { hostname } from "node:os"
import { Clock, Effect, Layer, Metric } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { abandonAfter } from "#src/platform/process/deadline.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { lastUnread } from "#src/upstream/undecodable.ts"
import { type Figures, figuresIn } from "./figures.ts"
import { Lately } from "./Lately.ts"
import { statusStore } from "./StatusStore.ts"
import { statusEvery } from "./settings.ts"

const roundsPerCleaning = 500

/**
 * Writes down every few seconds what this process has counted, so that others can show it. It reads the metrics that
 * are kept anyway: nothing on the way of the data knows of it.
 */
export const reportFigures = Layer.effectDiscard(
  Effect.gen(function* () {
    const config = yield* Configuration
    const store = yield* statusStore
    const clock = yield* Clock.Clock
    const since = clock.currentTimeMillisUnsafe()
    const process = `${hostname()}:${globalThis.process.pid}`
    const lately = new Lately()
    let round = 0
    let hasFailed = false

    const withRates = (source: string, figures: Figures, at: number): Figures => ({
      ...figures,
      rates: Object.fromEntries(
        Object.entries(figures.counts).map(([name, total]) => [name, lately.perSecond(`${source} ${name}`, total, at)]),
      ),
    })
    const once = Effect.gen(function* () {
      const at = Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
      const sources = figuresIn(yield* Metric.snapshot, yield* lastUnread)
      yield* store.write(
        process,
        since,
        new Map([...sources].map(([source, figures]) => [source, withRates(source, figures, at)])),
      )
      if (round++ % roundsPerCleaning === 0) yield* store.forget
    }).pipe(
      Effect.andThen(Effect.sync(() => (hasFailed = false))),
      // Once for each outage: whoever waits for Postgres says so anyway.
      Effect.catch((error) =>
        Effect.suspend(() => {
          const log = hasFailed ? Effect.logDebug : Effect.logWarning
          hasFailed = true
          return log(`the status is not written: ${describe(error)}`)
        }),
      ),
    )
    // The last word: the followers of this process have ended by now, and whoever looks sees so at once.
    yield* Effect.addFinalizer(() => Effect.ignore(abandonAfter(once, "1 second", () => "no answer")))
    const pause = Effect.suspend(() => Effect.sleep(config.get(statusEvery)))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(once, pause)))
  }),
)
