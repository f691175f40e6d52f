import { Effect } from "effect"
import { ActivityLists } from "#src/activity/ActivityLists.ts"
import type { ActivityPage, Listed } from "#src/activity/model.ts"
import type { RequestOf } from "../../server/RequestOf.ts"
import type { WantedPage } from "../../v3/pages.ts"
import { maxOffset } from "../../v3/parameters.ts"
import type { ActivityGroup } from "../group.ts"
import { activityLists } from "../lists.ts"
import { Redemption } from "../shapes.ts"
import { shownRedemption } from "../translate.ts"

/** Null where the next page has no offset. */
const nextOffset = ({ next }: ActivityPage<Listed>, { offset, limit, behind }: WantedPage): number | null =>
  next === undefined || behind !== undefined || offset + limit > maxOffset ? null : offset + limit

export const redemptionsHandler = Effect.gen(function* () {
  const { redemptions } = yield* ActivityLists
  const answer = yield* activityLists
  return ({ params: { address }, query }: RequestOf<typeof ActivityGroup, "redemptions">) =>
    answer(query, {
      list: "redemptions",
      shape: Redemption,
      owner: address,
      subject: { address },
      pages: redemptions,
      shown: shownRedemption,
      more: (page, wanted) => ({ next_offset: nextOffset(page, wanted), order: wanted.order, source: "onchain" }),
    })
})
