import { Clock, Duration, Effect, Layer, Stream } from "effect"
import { CopyPnlRefresh, CopyPnlReport, CopyPnlScore } from "#src/copy-pnl/contracts.ts"
import { Reporter } from "#src/copy-pnl/reports/Reporter.ts"
import { Scorer } from "#src/copy-pnl/Scorer.ts"
import * as ScoreStore from "#src/copy-pnl/ScoreStore.ts"
import { copyPnlChunk, copyPnlRefresh, copyPnlRetry } from "#src/copy-pnl/settings.ts"
import { HistoryIncomplete } from "#src/ledger/historyIsComplete.ts"
import { Permanent, Postponed, retryable } from "#src/mesh/Job.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { SharedRuns } from "#src/mesh/SharedRuns.ts"
import { sweep } from "#src/mesh/Sweep.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"

/** Our own reasons are one word. Other failures are for the operator's log, not for the client. */
const publicReason = (reason: string) => (/^[a-z0-9_]{1,40}$/.test(reason) ? reason : "score_failed")

/** Retry delay while the ledger's history is incomplete. */
const retryAfter = Duration.seconds(10)

const score = jobWorker(
  CopyPnlScore,
  ({ wallet }) =>
    Effect.flatMap(Scorer, (scorer) => scorer.score(wallet)).pipe(
      Effect.mapError((error) =>
        error instanceof HistoryIncomplete ? new Postponed({ after: retryAfter }) : retryable(error),
      ),
    ),
  {
    onFailed: ({ wallet }, reason) =>
      Effect.flatMap(Scorer, (scorer) => scorer.fail(wallet, publicReason(reason))).pipe(
        Effect.catch((error) => Effect.logWarning(`copy score of ${wallet}: ${reason}; ${describe(error)}`)),
      ),
  },
)

const report = jobWorker(
  CopyPnlReport,
  ({ run, question }) =>
    Effect.flatMap(Reporter, (reporter) => reporter.report(run, question)).pipe(
      Effect.mapError((error) =>
        // Fail at once: the history takes longer than any client waits.
        error instanceof HistoryIncomplete ? new Permanent({ reason: error.message }) : retryable(error),
      ),
    ),
  {
    onFailed: ({ run }, reason) =>
      Effect.flatMap(Reporter, (reporter) => reporter.fail(run, reason)).pipe(
        Effect.catch((error) => Effect.logWarning(`a copy score on demand: ${reason}; ${error.message}`)),
      ),
  },
)

const mostDropped = 1_000

const refresh = jobWorker(CopyPnlRefresh, () =>
  Effect.gen(function* () {
    const { sql, tx } = yield* Postgres
    const config = yield* Configuration
    const now = yield* Clock.currentTimeMillis
    const before = (setting: typeof copyPnlRefresh) => new Date(now - Duration.toMillis(config.get(setting)))
    const old = before(copyPnlRefresh)
    yield* tx(ScoreStore.deleteUnfollowed(sql, old, mostDropped))
    const due = { old, failed: before(copyPnlRetry) }
    const requested = yield* ScoreStore.requestDue(sql, new Date(now), due, config.get(copyPnlChunk))
    const payloads = requested.map((wallet) => ({ wallet }))
    yield* (yield* Jobs).enqueueAll(CopyPnlScore, payloads, { behindOthers: true })
  }).pipe(Effect.mapError(retryable)),
)

const mostSwept = 5_000
/** Jobs of newer requests are already on their way. */
const inFlightMillis = 10_000

const waiting = Stream.unwrap(
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const since = new Date((yield* Clock.currentTimeMillis) - inFlightMillis)
    const wallets = yield* ScoreStore.waiting(sql, since, mostSwept)
    return Stream.fromIterable(wallets.map((wallet) => ({ wallet })))
  }),
)

/** Scores followed wallets when they are added and once a day, and other wallets on demand. */
export const copyPnl = Layer.mergeAll(score, refresh, report, sweep(CopyPnlScore, waiting)).pipe(
  Layer.provide(Layer.merge(Scorer.layer, Layer.provide(Reporter.layer, SharedRuns.layer))),
)
