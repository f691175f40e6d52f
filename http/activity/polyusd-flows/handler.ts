import { Effect } from "effect"
import { ActivityLists } from "#src/activity/ActivityLists.ts"
import type { FlowTotals } from "#src/activity/model.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import type { RequestOf } from "../../server/RequestOf.ts"
import type { ActivityGroup } from "../group.ts"
import { activityLists } from "../lists.ts"
import { Flow } from "../shapes.ts"
import { shownFlow } from "../translate.ts"

const shownTotals = ({ rows, deposited, withdrawn }: FlowTotals) => ({
  total_matching_rows: rows,
  total_deposited: exactAmount(deposited),
  total_withdrawn: exactAmount(withdrawn),
  net_deposited: exactAmount(deposited - withdrawn),
  source: "onchain",
})

export const flowsHandler = Effect.gen(function* () {
  const { flows } = yield* ActivityLists
  const answer = yield* activityLists
  return ({ params: { address }, query }: RequestOf<typeof ActivityGroup, "flows">) =>
    answer(query, {
      list: "polyusd-flows",
      key: "flows",
      shape: Flow,
      owner: address,
      subject: { address },
      pages: flows(query.kind ?? "all"),
      shown: shownFlow(address),
      more: ({ totals }) => shownTotals(totals),
    })
})
