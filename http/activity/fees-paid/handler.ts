import { Effect } from "effect"
import { ActivityLists } from "#src/activity/ActivityLists.ts"
import type { ActivityPage, ListedFeePaid } from "#src/activity/model.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import type { RequestOf } from "../../server/RequestOf.ts"
import type { ActivityGroup } from "../group.ts"
import { activityLists } from "../lists.ts"
import { FeePaid } from "../shapes.ts"
import { shownFeePaid } from "../translate.ts"

const feeSemantics =
  "Fees of the wallet's own orders, in dollars: `fee` as charged, `fee_paid` less what was refunded in the same transaction. Fees in shares count at the price of the trade."
const rawNote = "An integer of 10^-6 dollars, of this page alone: add up all pages for the sum of all fees."

const shownSums = ({ rows }: ActivityPage<ListedFeePaid>) => {
  const total = rows.reduce((sum, { paid }) => sum + paid, 0n)
  return {
    page_total_fees_paid: exactAmount(total),
    page_total_fees_paid_raw: String(total),
    page_total_fees_paid_raw_note: rawNote,
    fee_semantics: feeSemantics,
  }
}

export const feesPaidHandler = Effect.gen(function* () {
  const { feesPaid } = yield* ActivityLists
  const answer = yield* activityLists
  return ({ params: { address }, query }: RequestOf<typeof ActivityGroup, "feesPaid">) => {
    const { after = 0, before = 9_999_999_999 } = query
    return answer(query, {
      list: "fees-paid",
      key: "fees",
      shape: FeePaid,
      owner: address,
      subject: { address },
      pages: feesPaid,
      shown: shownFeePaid,
      more: (page) => ({ ...shownSums(page), after: String(after), before: String(before) }),
    })
  }
})
