import { createHash } from "node:crypto"
import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AccountId } from "#src/domain/Account.ts"
import { newestSecond } from "#src/ledger/newestSecond.ts"
import { type ConcurrencyExceeded, makeConcurrencyLimit } from "#src/limits/ConcurrencyLimit.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { SharedRuns } from "#src/mesh/SharedRuns.ts"
import type { JoinFailure } from "#src/mesh/shared-runs/waiter.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { CopyPnlReport } from "../contracts.ts"
import { copyPnlOnDemandTime, copyPnlPerAccount } from "../settings.ts"
import { type ReportRequest, type WalletReport, WalletReportText } from "./model.ts"

/** How long it may take until a worker starts. */
const startWithin = Duration.seconds(10)
/** Allowance on top of the time limit of the work itself. */
const transport = Duration.seconds(5)

/** The report exceeded its time limit. */
export class ReportLate extends Schema.TaggedError<ReportLate>()("ReportLate", {}) {
  override get message() {
    return "the workers did not respond in time"
  }
}

export type ReportFailure = JoinFailure | ReportLate

const fromText = Schema.decodeEffect(WalletReportText)
const nameOf = (question: ReportRequest) =>
  `copy-pnl:${createHash("sha256").update(JSON.stringify(question)).digest("base64url")}`

/** Scores on demand. Workers compute them; concurrent equal requests share one run. */
export class Reports extends Context.Service<
  Reports,
  {
    /** Unix second up to which the ledger has everything; undefined before its first block. */
    readonly newestSecond: Effect.Effect<number | undefined, SqlError>
    /** Refuses requests beyond the account's concurrency limit. */
    readonly ask: (
      account: AccountId,
      question: ReportRequest,
    ) => Effect.Effect<ReadonlyArray<WalletReport>, ReportFailure | ConcurrencyExceeded>
    /** After this time a request fails. */
    readonly longest: () => Duration.Duration
  }
>()("presage/copy-pnl/Reports") {
  static readonly layer = Layer.effect(
    Reports,
    Effect.gen(function* () {
      const runs = yield* SharedRuns
      const jobs = yield* Jobs
      const config = yield* Configuration

      const { reads } = yield* Postgres

      const takePlace = makeConcurrencyLimit<AccountId>()

      const ask = Effect.fn("CopyPnl.ask")(function* (account: AccountId, question: ReportRequest) {
        yield* takePlace(account, { account: config.get(copyPnlPerAccount) })
        const { next } = yield* runs.join(nameOf(question), {
          start: (run) => jobs.enqueue(CopyPnlReport, { run, question }),
          startWithin: startWithin,
        })
        const outcomes: Array<WalletReport> = []
        for (let chunk = yield* next; Option.isSome(chunk); chunk = yield* next)
          outcomes.push(yield* Effect.orDie(fromText(chunk.value.toString())))
        return outcomes
      }, Effect.scoped)

      const longest = () => Duration.sum(Duration.sum(config.get(copyPnlOnDemandTime), startWithin), transport)

      return Reports.of({
        newestSecond: Effect.withSpan(newestSecond(reads), "Reports.newestSecond"),
        longest,
        ask: Effect.fn("Reports.ask")((account, question) =>
          Effect.timeoutOrElse(ask(account, question), {
            duration: longest(),
            orElse: () => Effect.fail(new ReportLate()),
          }),
        ),
      })
    }),
  )
}
