import { Effect } from "effect"
import { Combos } from "#src/combos/Combos.ts"
import type { RequestOf } from "../../server/RequestOf.ts"
import type { CombosGroup } from "../group.ts"
import { readFilter } from "../input.ts"
import { comboLists } from "../lists.ts"
import { kindsOf } from "../parameters.ts"
import { Trade } from "../shapes.ts"
import { shownTrade } from "../translate.ts"

export const tradesHandler = Effect.gen(function* () {
  const combos = yield* Combos
  const answer = yield* comboLists
  return Effect.fnUntraced(function* ({ params: { address }, query }: RequestOf<typeof CombosGroup, "trades">) {
    const isSale = query.side === undefined || query.side === "both" ? undefined : query.side === "sell"
    const filter = { ...(yield* readFilter(query)), wallet: address, kinds: kindsOf("execution", true), isSale }
    return yield* answer(query, {
      list: "combos/trades",
      key: "trades",
      shape: Trade,
      subject: { address },
      filter,
      pages: combos.trades,
      shown: shownTrade,
    })
  })
})
