import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { paidOnly } from "../access/Rule.ts"
import { visibleText } from "../input/visibleText.ts"
import { describe } from "../openapi/describe.ts"
import { BadInput, Conflict, NotFound, Unavailable } from "../server/errors.ts"
import { pageOf, timeRange } from "../v3/parameters.ts"
import { boardParameters, maxRank } from "./leaderboard/input.ts"
import * as shapes from "./shapes.ts"
import { sortParameters } from "./sort.ts"
import { broadest, tradeParameters } from "./trades/parameters.ts"

const params = {
  code: visibleText("a builder's code or name").annotate({
    description: "a builder's code (0x and 64 hexadecimal digits) or its exact public name, in any case",
  }),
}
const error = [BadInput, NotFound, shapes.SharedBuilderName, Unavailable] as const

const sharedName = "A name that several builders have is 409 with their `codes`."
const upToDate = "Sums are of all fills up to the block of `as_of`."

const list = HttpApiEndpoint.get("list", "/v3/builders", {
  query: {
    ...sortParameters,
    ...pageOf("builders"),
  },
  success: shapes.BuilderList,
  error: [BadInput, Unavailable],
}).annotateMerge(
  describe(
    "Builders",
    "/v3/builders?limit=10",
    "The applications whose orders were filled, by what was traded through them.",
    `${upToDate} A builder whose figures change between two pages may move from one to the other.`,
  ),
)

const detail = HttpApiEndpoint.get("detail", "/v3/builders/:code", {
  params,
  success: shapes.BuilderDetail,
  error,
}).annotateMerge(
  describe(
    "A builder",
    "/v3/builders/$BUILDER",
    "What was traded through a builder, by role and side.",
    upToDate,
    sharedName,
  ),
)

const trades = HttpApiEndpoint.get("trades", "/v3/builders/:code/trades", {
  params,
  query: tradeParameters,
  success: shapes.BuilderTradeList,
  error,
})
  .annotateMerge(
    describe(
      "Trades of a builder",
      "/v3/builders/$BUILDER/trades?side=buy&limit=10",
      "The fills of the orders that a builder routed, in either role. Filters and pages are those of GET /v3/trades.",
      `\`category\` and \`tag_slug\` search at most ${broadest} fills: a request that has more in its time is 400 and says which filter to add.`,
      sharedName,
    ),
  )
  .annotateMerge(paidOnly({ heavy: true }))

const days = { ...timeRange("days that begin"), ...pageOf("days") }

const activity = HttpApiEndpoint.get("activity", "/v3/builders/:code/activity/daily", {
  params,
  query: days,
  success: shapes.BuilderActivity,
  error,
}).annotateMerge(
  describe(
    "Daily activity of a builder",
    "/v3/builders/$BUILDER/activity/daily?limit=7",
    "What was traded through a builder on each day of UTC, newest first. Days without fills are left out.",
    upToDate,
    sharedName,
  ),
)

const routed = HttpApiEndpoint.get("routed", "/v3/builders/activity/daily", {
  query: days,
  success: shapes.RoutedActivity,
  error: [BadInput, Unavailable],
}).annotateMerge(
  describe(
    "Daily activity of all builders",
    "/v3/builders/activity/daily?limit=7",
    "What was traded through any builder on each day of UTC, beside orders without one. A wallet counts once a day, however many builders it used.",
    upToDate,
  ),
)

const leaderboard = HttpApiEndpoint.get("leaderboard", "/v3/builders/:code/leaderboard", {
  params,
  query: boardParameters,
  success: shapes.Board,
  error: [...error, Conflict],
}).annotateMerge(
  describe(
    "Leaderboard of a builder",
    "/v3/builders/$BUILDER/leaderboard?period=7d&limit=10",
    "The wallets that used a builder in a period, by what they traded through it or by their results. Volumes are of fills through the builder, as of `as_of`; results are of all that a wallet does, as of `pnl_as_of`.",
    `Offsets lead to rank ${maxRank}. \`pagination=cursor\` goes further on boards of all time by results: a cursor belongs to one version of the results, and is 409 once they were replaced (every few minutes). Start again without it then.`,
    sharedName,
  ),
)

export class BuildersGroup extends HttpApiGroup.make("builders")
  .add(list, detail, activity, routed, leaderboard)
  .annotateEndpointsMerge(paidOnly())
  .add(trades)
  .annotateMerge(
    OpenApi.annotations({
      title: "Builders",
      description: "Applications that route orders, what is traded through them and by whom.",
    }),
  ) {}
