import { Effect } from "effect"
import type { RequestOf } from "../../server/RequestOf.ts"
import { filterOf, ordersByTime } from "../../trades/list/translate.ts"
import { emptyRange } from "../../v3/parameters.ts"
import type { OnchainTradesGroup } from "./group.ts"

type Given = Omit<RequestOf<typeof OnchainTradesGroup, "trades">["query"], "limit" | "pagination_key">

/** Which trades a query asks for. `end_time` is inclusive, `before` of a filter is not. */
export const readQuery = Effect.fnUntraced(function* (given: Given) {
  const { order = "desc", sort_by: sortBy = "timestamp", group_by, wallet, ...filters } = given
  const { start_time: after, end_time, min_total: min_amount_usd, ...names } = filters
  if (group_by !== undefined && sortBy !== "timestamp") return yield* ordersByTime
  const before = end_time === undefined ? undefined : end_time + 1
  const refused = emptyRange({ after, before }, ["start_time", "end_time"])
  if (refused !== undefined) return yield* refused
  const filter = { ...filterOf({ ...names, min_amount_usd }), wallet, after, before }
  return { filter, order, sortBy, byOrder: group_by !== undefined }
})
