import { Effect } from "effect"
import { ActivityLists } from "#src/activity/ActivityLists.ts"
import { activityLists, type Given } from "../lists.ts"
import { Fee } from "../shapes.ts"
import { shownFee } from "../translate.ts"

/** Fees that anybody received, or one receiver. */
export const feesHandlers = Effect.gen(function* () {
  const { fees } = yield* ActivityLists
  const answer = yield* activityLists
  const list = { list: "fees", shape: Fee, pages: fees, shown: shownFee }
  return {
    all: (given: Given) => answer(given, list),
    ofReceiver: (receiver: string, given: Given) => answer(given, { ...list, owner: receiver, subject: { receiver } }),
  }
})
