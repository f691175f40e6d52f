import { Effect } from "effect"
import { Combos } from "#src/combos/Combos.ts"
import type { PageParameters } from "../../v3/pages.ts"
import { type EventFilters, readFilter } from "../input.ts"
import { comboLists } from "../lists.ts"
import { kindsOf } from "../parameters.ts"
import { Event } from "../shapes.ts"
import { shownEvent } from "../translate.ts"

/** What happened to combos, of everybody or of one wallet. */
export const activityHandler = Effect.gen(function* () {
  const combos = yield* Combos
  const answer = yield* comboLists
  return Effect.fnUntraced(function* (given: PageParameters & EventFilters, wallet: string | undefined, subject = {}) {
    const isOfWallet = wallet !== undefined
    const filter = { ...(yield* readFilter(given)), wallet, kinds: kindsOf(given.event_kind, isOfWallet) }
    return yield* answer(given, {
      list: "combos/activity",
      key: "activity",
      shape: Event,
      subject,
      filter,
      pages: combos.events,
      shown: shownEvent(isOfWallet),
    })
  })
})
