import { Effect } from "effect"
import { Combos } from "#src/combos/Combos.ts"
import type { PageParameters } from "../../v3/pages.ts"
import { type RedemptionFilters, readRedemptionFilter } from "../input.ts"
import { comboLists } from "../lists.ts"
import { Redemption } from "../shapes.ts"
import { shownRedemption } from "../translate.ts"

/** Combos that were paid out or reduced, of everybody or of one wallet. */
export const redemptionsHandler = Effect.gen(function* () {
  const combos = yield* Combos
  const answer = yield* comboLists
  return Effect.fnUntraced(function* (
    given: PageParameters & RedemptionFilters,
    wallet: string | undefined,
    subject = {},
  ) {
    return yield* answer(given, {
      list: "combos/redemptions",
      key: "redemptions",
      shape: Redemption,
      subject,
      filter: yield* readRedemptionFilter(given, wallet),
      pages: combos.redemptions,
      shown: shownRedemption,
    })
  })
})
