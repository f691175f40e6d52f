import { Clock, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import type { HistoryMissing } from "#src/ledger/historyIsIn.ts"
import { Flights } from "#src/mesh/SharedRuns.ts"
import type { Flight } from "#src/mesh/shared-runs/model.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { RedisFailure } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { readSnapshot } from "#src/platform/sql/readSnapshot.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { historyPages } from "../historyPages.ts"
import { type Address, type AmountTooLarge, TimedOut } from "../model.ts"
import { copyPnlOnDemandTime, copyPnlPage } from "../settings.ts"
import { walk } from "../walk.ts"
import { walletIn } from "../walletIn.ts"
import { type Outcome, OutcomeText, type Question, type Report } from "./model.ts"
import * as ReportStore from "./ReportStore.ts"

const toText = Schema.encodeSync(OutcomeText)

/** Works out what somebody waits for, and tells it wallet by wallet. */
export class Reporter extends Context.Service<
  Reporter,
  {
    readonly report: (
      flight: Flight,
      question: Question,
    ) => Effect.Effect<void, TxError | RedisFailure | HistoryMissing>
    readonly giveUp: (flight: Flight, reason: string) => Effect.Effect<void, RedisFailure>
  }
>()("presage/copy-pnl/Reporter") {
  static readonly layer = Layer.effect(
    Reporter,
    Effect.gen(function* () {
      const { exports: sql } = yield* Postgres
      const config = yield* Configuration
      const flights = yield* Flights

      const reported = Effect.fnUntraced(function* (wallet: Address, question: Question, ends: number) {
        const { after, until } = question
        const left = Effect.map(Clock.currentTimeMillis, (now) => Duration.millis(Math.max(0, ends - now)))
        const size = config.get(copyPnlPage)
        const duration = yield* left
        const id = yield* Effect.timeoutOrElse(walletIn(sql, wallet), {
          duration,
          orElse: () => Effect.fail(new TimedOut({ seconds: Duration.toSeconds(duration) })),
        })
        const { scores, counts } = yield* walk(historyPages(sql, id, size), {
          until,
          afters: [after],
          size,
          time: yield* left,
        })
        const { actual, backtest, trades, partial } = scores[0] as (typeof scores)[number]
        const more = Effect.all([ReportStore.sumsOf(sql, id, question), ReportStore.tradesOf(sql, id, question)])
        const found = partial ? Option.none() : yield* Effect.timeoutOption(more, yield* left)
        const [sums, shown] = Option.getOrElse(found, () => [null, []] as const)
        return {
          _tag: "Report",
          wallet,
          actual,
          backtest,
          trades,
          partial: partial || sums === null,
          computedAt: yield* Clock.currentTimeMillis,
          counts,
          sums,
          shown,
        } satisfies Report
      })

      /** What cannot be told of one wallet does not keep the others from being told. */
      const outcomeOf = (wallet: Address, question: Question, ends: number, time: Duration.Duration) => {
        const unread = ({ message }: TimedOut | AmountTooLarge): Outcome => ({
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
        giveUp: flights.giveUp,
        report: (flight, question) =>
          Effect.asVoid(
            flights.fly(flight, ({ chunks, append }) =>
              Effect.gen(function* () {
                const time = config.get(copyPnlOnDemandTime)
                const ends = (yield* Clock.currentTimeMillis) + Duration.toMillis(time)
                // A predecessor may have told some already.
                const rest = question.wallets.slice(chunks)
                // Each with a picture of its own: what was cut off in the middle must not end the others'.
                for (const [i, wallet] of rest.entries()) {
                  const outcome = yield* readSnapshot(sql, outcomeOf(wallet, question, ends, time))
                  yield* append(Buffer.from(toText(outcome)), chunks + i + 1)
                }
                return { end: {} }
              }),
            ),
          ),
      })
    }),
  )
}
