import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { noSums } from "#src/positions/sums/model.ts"
import { WalletPnl } from "#src/wallets/WalletPnl.ts"
import { Api } from "../Api.ts"
import { objectAnswers } from "../v3/objects.ts"
import { refusal } from "./input.ts"
import { explainHandler } from "./pnl/explain/handler.ts"
import { pnlHandlers } from "./pnl/handler.ts"
import { shownAccounting, shownCombos, shownSums } from "./translate.ts"

const everything = { scope: { kind: "everything" }, tokenId: undefined } as const

export const WalletPnlHandlers = HttpApiBuilder.group(
  Api,
  "walletPnl",
  Effect.fnUntraced(function* (handlers) {
    const wallets = yield* WalletPnl
    const object = yield* objectAnswers
    const { pnl, events } = yield* pnlHandlers

    return handlers
      .handle("summary", ({ params: { address }, query }) =>
        object(
          "positions",
          Effect.gen(function* () {
            const withCombos = query.include_combos === "true"
            const found = yield* Effect.catch(wallets.allTime({ address, scope: everything, withCombos }), refusal)
            const accounting =
              query.include_accounting_summary === "true"
                ? yield* Effect.catch(wallets.accounting(address), refusal)
                : undefined
            const body = {
              address,
              ...shownSums(found.sums[0] ?? noSums),
              ...(found.combos && shownCombos(found.combos)),
              ...(accounting && shownAccounting(accounting)),
            }
            return { body, asOf: found.asOf }
          }),
        ),
      )
      .handle("batch", ({ payload }) =>
        object(
          "positions",
          Effect.map(Effect.catch(wallets.summaries(payload.wallets), refusal), ({ sums, asOf }) => {
            const rows = payload.wallets.map((wallet, i) => ({ wallet, ...shownSums(sums[i] ?? noSums) }))
            return { body: { count: rows.length, wallets: rows }, asOf }
          }),
        ),
      )
      .handle("pnl", pnl)
      .handle("events", events)
      .handle("explain", yield* explainHandler)
  }),
)
