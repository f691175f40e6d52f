import { Clock, Duration, Effect, Layer, Metric } from "effect"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import * as CatalogueStore from "#src/catalogue/CatalogueStore.ts"
import * as ReferenceStore from "#src/catalogue/ReferenceStore.ts"
import { indexMissing } from "#src/catalogue/searchDocuments.ts"
import { newsEvery, referenceEvery, sweepEvery } from "#src/catalogue/settings.ts"
import { Progress } from "#src/ledger/Progress.ts"
import { actor } from "#src/mesh/Actor.ts"
import type { LeaseLost } from "#src/mesh/Lease.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { Setting } from "#src/platform/config/Setting.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe, type TxError } from "#src/platform/sql/sqlFailure.ts"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import type { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"

const lastDone = (duty: string) =>
  Metric.gauge("presage_catalogue_done_timestamp_seconds", {
    description: "Time of the last successful catalogue update, by duty",
    attributes: { duty },
  })
const failures = (duty: string) =>
  Metric.counter("presage_catalogue_failures_total", {
    description: "Failed catalogue updates, by duty",
    incremental: true,
    attributes: { duty },
  })

type UpdateFailure = UpstreamFailure | TxError | LeaseLost

/** Runs `work` once; returns whether it succeeded. Only a lost lease ends the actor. */
const attempted = <A, R>(duty: string, work: Effect.Effect<A, UpdateFailure, R>) =>
  work.pipe(
    Effect.andThen(Clock.currentTimeMillis),
    Effect.flatMap((now) => Metric.update(lastDone(duty), now / 1000)),
    Effect.as(true),
    Effect.catchIf(
      (error): error is Exclude<UpdateFailure, LeaseLost> => error._tag !== "LeaseLost",
      (error) =>
        Effect.as(
          Effect.andThen(Metric.update(failures(duty), 1), Effect.logWarning(`catalogue, ${duty}: ${describe(error)}`)),
          false,
        ),
    ),
  )

const retryAfter = Duration.seconds(1)
const duringHistory = Duration.seconds(1)

/** A first history can take hours; catalogue prices must not get that old. */
const longestWithoutSweep = Duration.minutes(5)

/** Follows the venue's catalogue: loads all open events first, then recent closings and changes. */
export const catalogueFollower = actor("catalogue-follower", (lease) =>
  Effect.gen(function* () {
    const config = yield* Configuration
    const { sql, reads } = yield* Postgres
    const loader = yield* catalogueLoader(lease.tx)
    const ledger = yield* Progress

    let hasReferences = false
    const wasLoaded = (yield* ReferenceStore.progress(reads, "first-load")) !== undefined
    const every = <R>(
      duty: string,
      pause: Setting<Duration.Duration>,
      work: Effect.Effect<unknown, UpdateFailure, R>,
    ) =>
      Effect.forever(
        Effect.flatMap(attempted(duty, work), (done) =>
          Effect.sleep(done ? config.get(pause) : Duration.min(retryAfter, config.get(pause))),
        ),
      )

    yield* Effect.repeat(
      Effect.tap(attempted("search", indexMissing(sql, lease.tx)), (done) =>
        done ? Effect.void : Effect.sleep(retryAfter),
      ),
      { until: (done) => done },
    ).pipe(Effect.forkScoped)

    const firstLoad = Effect.gen(function* () {
      yield* loader.sweep
      yield* CatalogueStore.analyze(sql)
      yield* lease.tx(ReferenceStore.setProgress(sql, "first-load", yield* Clock.currentTimeMillis))
      yield* Effect.logInfo(`catalogue loaded: ${yield* CatalogueStore.countOpenEvents(reads)} open events`)
    })
    if (!wasLoaded) {
      // The start does not depend on them: a list that fails is read again later.
      hasReferences = yield* attempted("references", loader.references)
      yield* Effect.repeat(
        Effect.tap(attempted("first load", firstLoad), (done) => (done ? Effect.void : Effect.sleep(retryAfter))),
        { until: (done) => done },
      )
    }

    /** Skips the first round of what the first load has just done. */
    const everyAfter =
      (isDone: boolean): typeof every =>
      (duty, pause, work) =>
        Effect.andThen(isDone ? Effect.sleep(config.get(pause)) : Effect.void, every(duty, pause, work))
    const rarelyDuringHistory = Effect.timeoutOption(ledger.afterHistory, longestWithoutSweep)

    /** Beside the history, so that little is left to do when it is read. */
    const mentionedTokens = Effect.gen(function* () {
      while (yield* ledger.isReading) {
        yield* loader.tokensSoFar
        yield* Effect.sleep(duringHistory)
      }
      yield* loader.mentionedTokens
    })

    yield* Effect.all(
      [
        everyAfter(!wasLoaded)("sweep", sweepEvery, Effect.andThen(rarelyDuringHistory, loader.sweep)),
        every("new events", newsEvery, loader.newEvents),
        every("closings", newsEvery, loader.closings),
        every("up and down windows", newsEvery, loader.upDownWindows),
        every("mentioned tokens", newsEvery, mentionedTokens),
        everyAfter(hasReferences)("references", referenceEvery, Effect.andThen(loader.references, loader.pruneHistory)),
      ],
      { concurrency: "unbounded", discard: true },
    )
  }),
).pipe(Layer.provide(Layer.merge(Gamma.layer, Progress.layer)))
