import { Schema } from "effect"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { type MarketStatus, statuses } from "#src/market-stats/model.ts"
import { eventSorts, type FigureSortName, marketSorts } from "#src/market-stats/select.ts"
import { visibleText } from "../input/visibleText.ts"
import { listOrders, pageOf, secondParameter } from "../v3/parameters.ts"

export const defaultSort: FigureSortName = "volume_24h"

const dollars = (figure: string) =>
  Schema.optionalKey(
    Schema.Finite.check(
      Schema.isBetween({ minimum: 0, maximum: 1e9 }, { message: "expected dollars from 0 to 1000000000" }),
    ).annotate({ description: `only with at least this ${figure}, in dollars` }),
  )
const name = (what: string, description: string) => Schema.optionalKey(visibleText(what).annotate({ description }))

const common = (what: string) => ({
  status: Schema.optionalKey(
    Schema.Literals(statuses).annotate({
      description: `only ${what} that are open, closed by the venue but not resolved, or resolved on the chain`,
    }),
  ),
  category: name("a category", `only ${what} of this category`),
  tag: name("a tag", `only ${what} with this tag, as listed by GET /v3/tags`),
  neg_risk: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({ description: `only ${what} that are neg-risk, or that are not` }),
  ),
  end_after: secondParameter("end_after", `${what} that end from this second on`),
  end_before: secondParameter("end_before", `${what} that end before this second`),
  min_volume: dollars("`volume_all`"),
  min_volume_24h: dollars("`volume_24h`"),
  min_liquidity: dollars("`liquidity`"),
})

const page = (what: string) => ({
  ...pageOf(what),
  order: Schema.optionalKey(
    Schema.Literals(listOrders).annotate({
      description: "desc: as the sort says, the largest, newest or soonest first; asc: the reverse. desc by default",
    }),
  ),
})

const sortOf = <Name extends string>(sorts: ReadonlyArray<Name>) =>
  Schema.optionalKey(Schema.Literals(sorts).annotate({ description: `${sorts.join(", ")}; ${defaultSort} by default` }))

export const marketParameters = {
  ...common("markets"),
  condition_id: Schema.optionalKey(ConditionId.annotate({ description: "only the market of this condition" })),
  slug: name("a slug", "only the market with this slug"),
  event: name("a slug", "only markets of the event with this slug"),
  sort: sortOf(marketSorts),
  ...page("markets"),
}

export const eventParameters = {
  ...common("events"),
  slug: name("a slug", "only the event with this slug"),
  sort: sortOf(eventSorts),
  ...page("events"),
}

/** Decoded parameters, except those of the page. */
export interface GivenFilters {
  readonly status?: MarketStatus
  readonly category?: string
  readonly tag?: string
  readonly neg_risk?: "true" | "false"
  readonly end_after?: number
  readonly end_before?: number
  readonly min_volume?: number
  readonly min_volume_24h?: number
  readonly min_liquidity?: number
  readonly condition_id?: string
  readonly slug?: string
  readonly event?: string
  readonly sort?: FigureSortName
}
