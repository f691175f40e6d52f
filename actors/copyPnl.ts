import { Clock, Duration, Effect, Layer, Stream } from "effect"
import { CopyPnlRefresh, CopyPnlReport, CopyPnlScore } from "#src/copy-pnl/contracts.ts"
import { Reporter } from "#src/copy-pnl/reports/Reporter.ts"
import { Scorer } from "#src/copy-pnl/Scorer.ts"
import * as ScoreStore from "#src/copy-pnl/ScoreStore.ts"
import { copyPnlChunk, copyPnlRefresh, copyPnlRetry } from "#src/copy-pnl/settings.ts"
import { HistoryMissing } from "#src/ledger/historyIsIn.ts"
import { Permanent, Postponed, Retryable } from "#src/mesh/Job.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { Flights } from "#src/mesh/SharedRuns.ts"
import { sweep } from "#src/mesh/Sweep.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"

/** Reasons of ours are one word; what else went wrong is for the operator, and not for whoever follows the wallet. */
const told = (reason: string) => (/^[a-z0-9_]{1,40}$/.test(reason) ? reason : "score_failed")

/** While the history is still being read. */
const lookAgainAfter = Duration.seconds(10)

const score = jobWorker(
  CopyPnlScore,
  ({ wallet }) =>
    Effect.flatMap(Scorer, (scorer) => scorer.score(wallet)).pipe(
      Effect.mapError((error) =>
        error instanceof HistoryMissing
          ? new Postponed({ after: lookAgainAfter })
          : new Retryable({ reason: describe(error) }),
      ),
    ),
  {
    onGivenUp: ({ wallet }, reason) =>
      Effect.flatMap(Scorer, (scorer) => scorer.giveUp(wallet, told(reason))).pipe(
        Effect.catch((error) => Effect.logWarning(`copy score of ${wallet}: ${reason}; ${describe(error)}`)),
      ),
  },
)

const report = jobWorker(
  CopyPnlReport,
  ({ flight, question }) =>
    Effect.flatMap(Reporter, (reporter) => reporter.report(flight, question)).pipe(
      Effect.mapError((error) =>
        // Whoever waits is told at once: it takes longer than anybody waits.
        error instanceof HistoryMissing
          ? new Permanent({ reason: error.message })
          : new Retryable({ reason: describe(error) }),
      ),
    ),
  {
    onGivenUp: ({ flight }, reason) =>
      Effect.flatMap(Reporter, (reporter) => reporter.giveUp(flight, reason)).pipe(
        Effect.catch((error) => Effect.logWarning(`a copy score on demand: ${reason}; ${error.message}`)),
      ),
  },
)

const mostForgotten = 1_000

const refresh = jobWorker(CopyPnlRefresh, () =>
  Effect.gen(function* () {
    const { sql, tx } = yield* Postgres
    const config = yield* Configuration
    const now = yield* Clock.currentTimeMillis
    const before = (setting: typeof copyPnlRefresh) => new Date(now - Duration.toMillis(config.get(setting)))
    const old = before(copyPnlRefresh)
    yield* tx(ScoreStore.forget(sql, old, mostForgotten))
    const due = { old, failed: before(copyPnlRetry) }
    const asked = yield* ScoreStore.askForOld(sql, new Date(now), due, config.get(copyPnlChunk))
    const payloads = asked.map((wallet) => ({ wallet }))
    yield* (yield* Jobs).enqueueAll(CopyPnlScore, payloads, { behindOthers: true })
  }).pipe(Effect.mapError((error) => new Retryable({ reason: describe(error) }))),
)

const mostSwept = 5_000
/** What was asked for since is on its way. */
const onItsWayMillis = 10_000

const waiting = Stream.unwrap(
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const since = new Date((yield* Clock.currentTimeMillis) - onItsWayMillis)
    const wallets = yield* ScoreStore.waiting(sql, since, mostSwept)
    return Stream.fromIterable(wallets.map((wallet) => ({ wallet })))
  }),
)

/** Scores the wallets that somebody would copy, when they are new and once a day, and those that somebody asks about. */
export const copyPnl = Layer.mergeAll(score, refresh, report, sweep(CopyPnlScore, waiting)).pipe(
  Layer.provide(Layer.merge(Scorer.layer, Layer.provide(Reporter.layer, Flights.layer))),
)
