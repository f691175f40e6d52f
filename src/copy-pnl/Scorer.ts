import { Clock, Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { dayMillis } from "#src/domain/time.ts"
import * as CoverageStore from "#src/ledger/coverage/CoverageStore.ts"
import type { HistoryIncomplete } from "#src/ledger/historyIsComplete.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { readSnapshot } from "#src/platform/sql/readSnapshot.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { historyPages } from "./historyPages.ts"
import { type Address, scoredDays } from "./model.ts"
import * as ScoreStore from "./ScoreStore.ts"
import { copyPnlPage, copyPnlTime } from "./settings.ts"
import { walk } from "./walk.ts"
import { walletIdOf } from "./walletId.ts"

/** Scores wallets and records failures. */
export class Scorer extends Context.Service<
  Scorer,
  {
    /** Scores all periods in one walk. A history that cannot be scored is recorded and is not a failure. */
    readonly score: (wallet: Address) => Effect.Effect<void, TxError | HistoryIncomplete>
    /** Records that the wallet is not scored until the next request. */
    readonly fail: (wallet: Address, reason: string) => Effect.Effect<void, SqlError>
  }
>()("presage/copy-pnl/Scorer") {
  static readonly layer = Layer.effect(
    Scorer,
    Effect.gen(function* () {
      const { sql, exports, tx } = yield* Postgres
      const config = yield* Configuration

      const walked = Effect.fnUntraced(function* (wallet: Address, until: number) {
        const size = config.get(copyPnlPage)
        const facts = (yield* CoverageStore.read(exports))?.facts
        const afters = scoredDays.map((days) => until - days * dayMillis)
        const isCovered = (after: number) => facts === undefined || facts.isComplete || facts.at <= after
        const walked = yield* walk(historyPages(exports, yield* walletIdOf(exports, wallet), size), {
          until,
          afters,
          size,
          time: config.get(copyPnlTime),
        })
        return walked.scores.map((score, i) => ({
          ...score,
          partial: score.partial || !isCovered(afters[i] as number),
        }))
      })

      const fail = Effect.fn("Scorer.fail")(function* (wallet: Address, reason: string, startedAt?: Date) {
        yield* ScoreStore.fail(sql, wallet, reason, new Date(yield* Clock.currentTimeMillis), startedAt)
      })

      return Scorer.of({
        fail: (wallet, reason) => fail(wallet, reason),
        score: Effect.fn("Scorer.score")(function* (wallet) {
          const until = yield* Clock.currentTimeMillis
          const at = new Date(until)
          yield* readSnapshot(exports, walked(wallet, until)).pipe(
            Effect.flatMap((scores) =>
              tx(
                ScoreStore.save(
                  sql,
                  wallet,
                  scores.map((score, i) => ({ ...score, days: scoredDays[i] as number, computedAt: at })),
                  at,
                ),
              ),
            ),
            Effect.catchTag(["TimedOut", "AmountTooLarge"], ({ message }) => fail(wallet, message, at)),
          )
        }),
      })
    }),
  )
}
