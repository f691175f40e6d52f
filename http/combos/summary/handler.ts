import { Effect } from "effect"
import { Combos } from "#src/combos/Combos.ts"
import { noSums } from "#src/positions/sums/model.ts"
import { WalletPnl } from "#src/wallets/WalletPnl.ts"
import type { RequestOf } from "../../server/RequestOf.ts"
import { objectAnswers } from "../../v3/objects.ts"
import { refusal as pnlRefusal } from "../../wallets/input.ts"
import type { CombosGroup } from "../group.ts"
import { origin } from "../lists.ts"
import { refusal, shownSummary } from "../translate.ts"

export const summaryHandler = Effect.gen(function* () {
  const combos = yield* Combos
  const pnl = yield* WalletPnl
  const answer = yield* objectAnswers
  return ({ params: { address } }: RequestOf<typeof CombosGroup, "summary">) =>
    answer(
      "positions",
      Effect.gen(function* () {
        const { sums, asOf } = yield* Effect.catch(pnl.combos(address), pnlRefusal)
        const found = yield* Effect.catch(combos.summary(address), refusal)
        const summary = shownSummary(address, sums[0] ?? noSums, found)
        return { body: { address, summary, rows_returned: 1, ...origin }, asOf }
      }),
    )
})
