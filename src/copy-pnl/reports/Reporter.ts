import { Clock, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { usdc } from "#src/domain/amounts.ts"
import type { HistoryIncomplete } from "#src/ledger/historyIsComplete.ts"
import { SharedRuns } from "#src/mesh/SharedRuns.ts"
import type { SharedRun } from "#src/mesh/shared-runs/model.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { RedisFailure } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { readSnapshot } from "#src/platform/sql/readSnapshot.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { historyPages } from "../historyPages.ts"
import { type Address, type AmountTooLarge, TimedOut } from "../model.ts"
import { copyPnlOnDemandTime, copyPnlPage } from "../settings.ts"
import { walk } from "../walk.ts"
import { walletIdOf } from "../walletId.ts"
import { copyAtDepth } from "./copyAtDepth.ts"
import { type Report, type ReportRequest, type WalletReport, WalletReportText } from "./model.ts"
import * as ReportStore from "./ReportStore.ts"

const toText = Schema.encodeSync(WalletReportText)

/** Computes a report on demand and publishes it wallet by wallet. */
export class Reporter extends Context.Service<
  Reporter,
  {
    readonly report: (
      run: SharedRun,
      question: ReportRequest,
    ) => Effect.Effect<void, TxError | RedisFailure | HistoryIncomplete>
    readonly fail: (run: SharedRun, reason: string) => Effect.Effect<void, RedisFailure>
  }
>()("presage/copy-pnl/Reporter") {
  static readonly layer = Layer.effect(
    Reporter,
    Effect.gen(function* () {
      const { exports: sql } = yield* Postgres
      const config = yield* Configuration
      const runs = yield* SharedRuns

      const reported = Effect.fnUntraced(function* (wallet: Address, question: ReportRequest, ends: number) {
        const { after, until } = question
        const left = Effect.map(Clock.currentTimeMillis, (now) => Duration.millis(Math.max(0, ends - now)))
        const size = config.get(copyPnlPage)
        const duration = yield* left
        const id = yield* Effect.timeoutOrElse(walletIdOf(sql, wallet), {
          duration,
          orElse: () => Effect.fail(new TimedOut({ seconds: Duration.toSeconds(duration) })),
        })
        const { scores, counts } = yield* walk(historyPages(sql, id, size), {
          until,
          afters: [after],
          size,
          time: yield* left,
        })
        const { actual, backtest: flatBacktest, trades, partial } = scores[0] as (typeof scores)[number]
        const copied =
          question.depth && !partial ? yield* copyAtDepth(sql, id, { after, until, size, ends }) : undefined
        const more = Effect.all([ReportStore.sumsOf(sql, id, question), ReportStore.tradesOf(sql, id, question)])
        const isOver = partial || copied?.isComplete === false
        const found = isOver ? Option.none() : yield* Effect.timeoutOption(more, yield* left)
        const [sums, shown] = Option.getOrElse(found, () => [null, []] as const)
        return {
          _tag: "Report",
          wallet,
          actual,
          backtest: usdc(flatBacktest + (copied?.change ?? 0n)),
          trades,
          partial: partial || sums === null,
          computedAt: yield* Clock.currentTimeMillis,
          counts,
          sums,
          shown,
          depth: copied === undefined ? null : { fromBook: copied.fromBook, tooThin: copied.tooThin, flatBacktest },
        } satisfies Report
      })

      /** A failure of one wallet does not affect the others. */
      const outcomeOf = (wallet: Address, question: ReportRequest, ends: number, time: Duration.Duration) => {
        const unread = ({ message }: TimedOut | AmountTooLarge): WalletReport => ({
          _tag: "Unread",
          wallet,
          reason: message,
        })
        return reported(wallet, question, ends).pipe(
          Effect.catchTag("TimedOut", () =>
            Effect.succeed(unread(new TimedOut({ seconds: Duration.toSeconds(time) }))),
          ),
          Effect.catchTag("AmountTooLarge", (error) => Effect.succeed(unread(error))),
        )
      }

      return Reporter.of({
        fail: Effect.fn("Reporter.fail")(runs.fail),
        report: Effect.fn("Reporter.report")((run, question) =>
          Effect.asVoid(
            runs.run(run, ({ chunks, append }) =>
              Effect.gen(function* () {
                const time = config.get(copyPnlOnDemandTime)
                const ends = (yield* Clock.currentTimeMillis) + Duration.toMillis(time)
                // A predecessor may have published some already.
                const rest = question.wallets.slice(chunks)
                // One snapshot per wallet: an aborted statement must not end the transaction of the others.
                for (const [i, wallet] of rest.entries()) {
                  const outcome = yield* readSnapshot(sql, outcomeOf(wallet, question, ends, time))
                  yield* append(Buffer.from(toText(outcome)), chunks + i + 1)
                }
                return { end: {} }
              }),
            ),
          ),
        ),
      })
    }),
  )
}
