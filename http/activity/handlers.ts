import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { ActivityLists } from "#src/activity/ActivityLists.ts"
import { activityKinds } from "#src/activity/model.ts"
import { Api } from "../Api.ts"
import { feesHandlers } from "./fees/handler.ts"
import { feesPaidHandler } from "./fees-paid/handler.ts"
import { activityLists } from "./lists.ts"
import { flowsHandler } from "./polyusd-flows/handler.ts"
import { rebatesHandler } from "./rebates/handler.ts"
import { redemptionsHandler } from "./redemptions/handler.ts"
import { Act, Conversion, Pair } from "./shapes.ts"
import { shownAct, shownConversion, shownPair } from "./translate.ts"

export const ActivityHandlers = HttpApiBuilder.group(
  Api,
  "activity",
  Effect.fnUntraced(function* (handlers) {
    const { acts, negRiskConversions } = yield* ActivityLists
    const answer = yield* activityLists
    const fees = yield* feesHandlers
    const ofWallet = (address: string) => ({ owner: address, subject: { address } })
    const activity = { list: "activity", shape: Act, pages: acts(activityKinds), shown: shownAct }
    const splits = { list: "splits", shape: Pair, pages: acts(["split"]), shown: shownPair }
    const merges = { list: "merges", shape: Pair, pages: acts(["merge"]), shown: shownPair }
    const conversions = { list: "nrc", shape: Conversion, pages: negRiskConversions, shown: shownConversion }

    return handlers
      .handleRaw("activity", ({ params: { address }, query }) => answer(query, { ...activity, ...ofWallet(address) }))
      .handleRaw("splits", ({ params: { address }, query }) => answer(query, { ...splits, ...ofWallet(address) }))
      .handleRaw("merges", ({ params: { address }, query }) => answer(query, { ...merges, ...ofWallet(address) }))
      .handleRaw("redemptions", yield* redemptionsHandler)
      .handleRaw("conversions", ({ params: { address }, query }) =>
        answer(query, { ...conversions, ...ofWallet(address) }),
      )
      .handleRaw("feesPaid", yield* feesPaidHandler)
      .handleRaw("flows", yield* flowsHandler)
      .handleRaw("rebates", yield* rebatesHandler)
      .handleRaw("fees", ({ query }) => fees.all(query))
      .handleRaw("ofReceiver", ({ params: { receiver }, query }) => fees.ofReceiver(receiver, query))
  }),
)
