import { Clock, Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import type { AsOf } from "#src/ledger/asOf.ts"
import { LedgerCoverage } from "#src/ledger/coverage/LedgerCoverage.ts"
import { shownCoverage } from "#src/ledger/coverage/shape.ts"
import { noSums } from "#src/wallets/model.ts"
import { WalletPnl } from "#src/wallets/WalletPnl.ts"
import { Api } from "../Api.ts"
import { notFound } from "../positions/translate.ts"
import { objectResponse } from "../v3/answer.ts"
import { shownCombos, shownSums } from "./translate.ts"

interface Answer {
  readonly body: Readonly<Record<string, unknown>>
  readonly asOf: AsOf | undefined
}

export const WalletPnlHandlers = HttpApiBuilder.group(
  Api,
  "walletPnl",
  Effect.fnUntraced(function* (handlers) {
    const pnl = yield* WalletPnl
    const ledger = yield* LedgerCoverage

    const answer = <E, R>(read: Effect.Effect<Answer, E, R>) =>
      Effect.gen(function* () {
        const start = yield* Clock.currentTimeMillis
        // Read before the figures, which then cover at least that.
        const covered = yield* Effect.catch(ledger.now, notFound)
        const { body, asOf } = yield* read
        const now = yield* Clock.currentTimeMillis
        return objectResponse(body, { asOf, coverage: shownCoverage(covered?.positions), start, now })
      })

    return handlers
      .handle("summary", ({ params: { address }, query }) =>
        answer(
          Effect.gen(function* () {
            if (query.include_combos !== "true") {
              const { sums, asOf } = yield* Effect.catch(pnl.summaries([address]), notFound)
              return { body: { address, ...shownSums(sums[0] ?? noSums) }, asOf }
            }
            const { sums, asOf, combos } = yield* Effect.catch(pnl.withCombos(address), notFound)
            return { body: { address, ...shownSums(sums[0] ?? noSums), ...shownCombos(combos) }, asOf }
          }),
        ),
      )
      .handle("batch", ({ payload: { wallets } }) =>
        answer(
          Effect.gen(function* () {
            const { sums, asOf } = yield* Effect.catch(pnl.summaries(wallets), notFound)
            const rows = wallets.map((wallet, i) => ({ wallet, ...shownSums(sums[i] ?? noSums) }))
            return { body: { count: rows.length, wallets: rows }, asOf }
          }),
        ),
      )
  }),
)
