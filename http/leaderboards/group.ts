import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { allTimeDepth, rollingDepth } from "#src/leaderboards/model.ts"
import { paidOnly } from "../access/Rule.ts"
import { clampedLimit, limitOf } from "../input/page.ts"
import { visibleText } from "../input/visibleText.ts"
import { describe } from "../openapi/describe.ts"
import { BadInput, Unavailable } from "../server/errors.ts"
import { boardSorts, tagBoardSorts } from "./boardInput.ts"
import * as parameters from "./parameters.ts"
import { Board, inCatalogue, NoScope, Scopes, TagBoard, TagList } from "./shapes.ts"

const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))
const name = (description: string) => Schema.optionalKey(visibleText("a name").annotate({ description }))

const { period, rowLimit } = parameters
const page = {
  limit: clampedLimit("rows", rowLimit),
  offset: Schema.optionalKey(
    parameters.natural.annotate({
      description: `ranks to skip; boards end at rank ${rollingDepth}, all-time boards at ${allTimeDepth}`,
    }),
  ),
}
const include_partial = Schema.optionalKey(
  Schema.Literals(["true", "false"]).annotate({
    description:
      "`true` also ranks wallets that held shares in the scope before `coverage`; their rows have `basis` `unknown` and count only what is known",
  }),
)
const sortOf = (sorts: object, rolling: string) =>
  text(`highest first: ${Object.keys(sorts).join(", ")}; boards of 1d, 7d and 30d only ${rolling}`)

const scopes = HttpApiEndpoint.get("scopes", "/v3/leaderboard/scopes", {
  query: {
    period: parameters.rollingPeriod,
    scope: parameters.scopeKind,
    q: parameters.searchText,
    ...parameters.scopePage,
  },
  success: Scopes,
  error: [BadInput, Unavailable],
}).annotateMerge(
  describe(
    "List leaderboard scopes",
    "/v3/leaderboard/scopes?period=7d&scope=tag",
    "Categories or tags in which a wallet realized a gain or a loss in the period, most wallets first, then by name. Numbers change as results enter and leave the period.",
    "`error` is `invalid_period`, `invalid_scope`, `invalid_query` or `scope_offset_too_deep`; `leaderboard_unavailable` (503) until the boards are built for the first time.",
  ),
)

const board = HttpApiEndpoint.get("board", "/v3/leaderboard", {
  query: {
    period,
    sort: sortOf(boardSorts.allTime, "realized (realized_pnl)"),
    category: name("only this category, as listed by GET /v3/leaderboard/scopes?scope=category"),
    tags: name("only this tag, as listed by GET /v3/leaderboard/scopes?scope=tag"),
    tag_slug: name("alias of `tags`"),
    market: name("only this market: its slug, its condition id or one of its token ids"),
    market_slug: name("only the market with this slug"),
    event_slug: name("only the markets of this event"),
    condition_id: Schema.optionalKey(ConditionId.annotate({ description: "only the market with this condition id" })),
    include: Schema.optionalKey(
      Schema.Literal("rewards").annotate({
        description: "`rewards` adds what the venue paid each wallet: `rewards_received` and `rebates_received`",
      }),
    ),
    include_partial,
    ...page,
  },
  success: Board,
  error: [BadInput, NoScope, Unavailable],
}).annotateMerge(
  describe(
    "Leaderboard",
    "/v3/leaderboard?period=7d&tags=crypto&limit=10",
    "Wallets ranked by their gains, overall or in one category, tag, market or event (only one of these parameters; two are refused with `invalid_scope`). Boards of 1d, 7d and 30d rank by `realized_pnl`: the sum of all gains and losses realized in the period that ends at `as_of`. The all-time board does so too, over all time, unless `sort` is set. Equal wallets are ordered by address.",
    "A page is consistent as of `as_of`, which advances every few seconds. A scope without results has an empty board; an unknown scope is 404.",
    "A wallet that held shares in the scope before the ledger's history has an incomplete result: what they cost is unknown. It is left out unless `include_partial=true`.",
    "503 `leaderboard_unavailable` until the boards are built for the first time. Boards of markets and events are computed from the ledger as of `as_of`; they also answer 503 while the boards are too far behind the ledger, for example after an outage.",
  ),
)

const tagBoard = HttpApiEndpoint.get("tagBoard", "/v3/tags/:slug/leaderboard", {
  params: {
    slug: visibleText("a tag").annotate({ description: "a tag, as listed by GET /v3/leaderboard/scopes?scope=tag" }),
  },
  query: { period, sort: sortOf(tagBoardSorts.allTime, "net_pnl (realized_pnl)"), include_partial, ...page },
  success: TagBoard,
  error: [BadInput, NoScope, Unavailable],
}).annotateMerge(
  describe(
    "Leaderboard of a tag",
    "/v3/tags/crypto/leaderboard?period=30d",
    "The same wallets and figures as GET /v3/leaderboard with `tags`, with amounts as decimal strings. The all-time board ranks by `net_pnl` unless `sort` is set.",
  ),
)

const tags = HttpApiEndpoint.get("tags", "/v2/onchain/tags", {
  query: {
    details: Schema.optionalKey(
      Schema.Literals(["true", "false"]).annotate({ description: "true returns objects instead of slugs" }),
    ),
    prefix: text("only slugs that start with this text, case-sensitive"),
    min_markets: Schema.optionalKey(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
        description: "only tags with at least this many markets",
      }),
    ),
    sort: Schema.optionalKey(
      Schema.Literals(["popularity", "alpha"]).annotate({
        description: "`popularity` (most markets first) or `alpha`; `popularity` by default",
      }),
    ),
    limit: limitOf("tags", { default: 10_000, max: 10_000 }),
  },
  success: TagList,
  error: Unavailable,
}).annotateMerge(
  describe(
    "List market tags",
    "/v2/onchain/tags?details=true&limit=10",
    `All tags of markets in the catalogue; with \`details=true\` also their number of markets and their dates. Counted are ${inCatalogue}. At most 30 minutes old; one minute while the catalogue is loaded for the first time.`,
  ),
)

export class LeaderboardsGroup extends HttpApiGroup.make("leaderboards")
  .add(scopes, board, tagBoard)
  .annotateEndpointsMerge(paidOnly())
  .add(tags)
  .annotateMerge(
    OpenApi.annotations({
      title: "Leaderboards",
      description: "Wallets ranked by their gains over a day, a week, a month or all time, and the tags of markets.",
    }),
  ) {}
