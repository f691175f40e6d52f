import { Schema } from "effect"
import { positionSorts } from "#src/positions/list/model.ts"
import { visibleText } from "../../input/visibleText.ts"
import { listLimit, listOrders, pageOf } from "../../v3/parameters.ts"
import { filters } from "../group.ts"

/** `pnl` is another name of `realized_pnl`. */
const sortNames = [...positionSorts, "pnl"] as const

export const sortedBy = (byDefault: (typeof sortNames)[number]) => ({
  sort: Schema.optionalKey(
    Schema.Literals(sortNames).annotate({
      description: `${sortNames.join(", ")}; ${byDefault} by default. \`recent\` is the last change of the position, \`value\` that of its remaining shares, and \`pnl\` is \`realized_pnl\`. Positions of unknown cost count as 0; equal ones have a stable order`,
    }),
  ),
  order: Schema.optionalKey(
    Schema.Literals(listOrders).annotate({ description: "desc (largest or newest first) or asc; desc by default" }),
  ),
})

const { limit, offset, cursor } = pageOf("positions")
export const page = { limit, offset, cursor }

/** The plan decides how long a page of a condition may be. */
export const conditionPage = { ...page, limit: pageOf("positions", { ...listLimit, max: 1_000 }).limit }

const { status, min_size, condition_id, market_slug, token_id, tag_slug } = filters

export const ofPosition = { status, min_size }
export const ofMarket = { token_id, condition_id, market_slug }
export const ofGroup = {
  event_slug: Schema.optionalKey(
    visibleText("a slug").annotate({ description: "only positions in this event's markets" }),
  ),
  tag_slug,
}

export const includeCombos = Schema.optionalKey(
  Schema.Literals(["true", "false"]).annotate({
    description: "true: combos are listed as well, with their legs; false by default",
  }),
)
