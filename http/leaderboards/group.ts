import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { rollingDepth, standingDepth } from "#src/leaderboards/model.ts"
import { paidOnly } from "../access/Rule.ts"
import { BadInput, Unavailable } from "../errors.ts"
import { seen } from "../seen.ts"
import { allTimeSorts, deepestScope, mostRows, mostScopes, tagSorts } from "./limits.ts"
import { Board, NoScope, Scopes, TagBoard, TagList } from "./shapes.ts"

const example = (path: string) => `\`\`\`sh\ncurl -H "x-api-key: $KEY" "localhost:8080${path}"\n\`\`\``
const about = (summary: string, path: string, ...lines: ReadonlyArray<string>) =>
  OpenApi.annotations({ summary, description: [...lines, example(path)].join("\n\n") })

/** However large: what is too large is cut, or refused in words that programs know. */
const Whole = Schema.Finite.check(Schema.makeFilter(Number.isInteger, { message: "Expected an integer" }))
const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))
const name = (description: string) => Schema.optionalKey(seen("a name").annotate({ description }))

const period = text("`1d`, `7d`, `30d` (or `day`, `week`, `month`), or `all`, as when left out")
const page = {
  limit: Schema.optionalKey(
    Whole.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
      description: `rows at most, from 1; above ${mostRows} it is ${mostRows}, as when left out`,
    }),
  ),
  offset: Schema.optionalKey(
    Whole.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
      description: `ranks to pass over; ranks end at ${rollingDepth}, those of all time at ${standingDepth}`,
    }),
  ),
}
const sortOf = (sorts: object, rolling: string) =>
  text(`highest first: ${Object.keys(sorts).join(", ")}; boards of 1d, 7d and 30d only ${rolling}`)

const scopes = HttpApiEndpoint.get("scopes", "/v3/leaderboard/scopes", {
  query: {
    period: text("`1d`, `7d` or `30d`; also `day`, `week`, `month`. Required"),
    scope: text("`category` or `tag`, also in the plural. Required"),
    q: text("only names with this text in them, in upper or lower case; up to 80 characters, taken literally"),
    limit: Schema.optionalKey(
      Whole.annotate({
        description: `rows at most: below 1 it is 1, above ${mostScopes} ${mostScopes}; 100 when left out`,
      }),
    ),
    offset: Schema.optionalKey(Whole.annotate({ description: `rows to pass over, 0 to ${deepestScope}` })),
  },
  success: Scopes,
  error: [BadInput, Unavailable],
}).annotateMerge(
  about(
    "What there are leaderboards of",
    "/v3/leaderboard/scopes?period=7d&scope=tag",
    "Categories or tags in which somebody has realized a gain or a loss in the period, most wallets first, then by name. Numbers change as results enter and leave the period.",
    "`error` is `invalid_period`, `invalid_scope`, `invalid_query` or `scope_offset_too_deep`; `leaderboard_unavailable` (503) until the boards are built for the first time.",
  ),
)

const board = HttpApiEndpoint.get("board", "/v3/leaderboard", {
  query: {
    period,
    sort: sortOf(allTimeSorts, "realized (realized_pnl)"),
    category: name("only this category, as GET /v3/leaderboard/scopes?scope=category tells it"),
    tags: name("only this tag, as GET /v3/leaderboard/scopes?scope=tag tells it"),
    tag_slug: name("the same as `tags`"),
    market: name("only this market: its slug, its condition id or one of its token ids"),
    market_slug: name("only this market"),
    event_slug: name("only the markets of this event"),
    condition_id: Schema.optionalKey(ConditionId.annotate({ description: "only this market" })),
    ...page,
  },
  success: Board,
  error: [BadInput, NoScope, Unavailable],
}).annotateMerge(
  about(
    "Who gained most",
    "/v3/leaderboard?period=7d&tags=crypto&limit=10",
    "Wallets by what they gained, of everything or of one category, tag, market or event (one of the parameters; two are refused with `invalid_scope`). Boards of 1d, 7d and 30d rank by `realized_pnl`: the sum of everything that was realized in the period that ends at `as_of`. The one of all time ranks by `total_pnl` unless `sort` says otherwise. Who is equal comes in order of address.",
    "A page is of one moment, `as_of`, which moves on every few seconds. A scope that exists and has no results is an empty board; one that nobody has heard of is 404.",
    "503 `leaderboard_unavailable` until the boards are built for the first time. Boards of markets and events are worked out from the ledger as it was at `as_of`, and have the same answer while it is too far ahead for that, as after the service was away.",
  ),
)

const tagBoard = HttpApiEndpoint.get("tagBoard", "/v3/tags/:slug/leaderboard", {
  params: {
    slug: seen("a tag").annotate({ description: "a tag, as GET /v3/leaderboard/scopes?scope=tag tells it" }),
  },
  query: { period, sort: sortOf(tagSorts, "net_pnl (realized_pnl)"), ...page },
  success: TagBoard,
  error: [BadInput, NoScope, Unavailable],
}).annotateMerge(
  about(
    "Who gained most under a tag",
    "/v3/tags/crypto/leaderboard?period=30d",
    "The same wallets and figures as GET /v3/leaderboard with `tags`, with money as decimal strings; all time ranks by `net_pnl` unless `sort` says otherwise.",
  ),
)

const tags = HttpApiEndpoint.get("tags", "/v2/onchain/tags", {
  query: {
    details: Schema.optionalKey(
      Schema.Literals(["true", "false"]).annotate({ description: "true for objects instead of slugs" }),
    ),
    prefix: text("only slugs that begin with this, in the same case"),
    min_markets: Schema.optionalKey(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ description: "only tags of as many markets" }),
    ),
    sort: Schema.optionalKey(
      Schema.Literals(["popularity", "alpha"]).annotate({
        description: "`popularity` (most markets first), as when left out, or `alpha`",
      }),
    ),
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })).annotate({
        description: "tags at most, 1 to 10000; 10000 when left out",
      }),
    ),
  },
  success: TagList,
  error: Unavailable,
}).annotateMerge(
  about(
    "Tags of markets",
    "/v2/onchain/tags?details=true&limit=10",
    "All tags that markets have, with `details=true` also how many and since when. At most half an hour old; a minute while the catalogue is read for the first time.",
  ),
)

export class LeaderboardsGroup extends HttpApiGroup.make("leaderboards")
  .add(scopes, board, tagBoard)
  .annotateEndpointsMerge(paidOnly())
  .add(tags)
  .annotateMerge(
    OpenApi.annotations({
      title: "Leaderboards",
      description: "Wallets by what they gained, over a day, a week, a month or all time, and the tags there are.",
    }),
  ) {}
