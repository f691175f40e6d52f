import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { TokenId } from "#src/domain/TokenId.ts"
import { mostExamined } from "#src/positions/list/candidates.ts"
import { paidOnly } from "../../access/Rule.ts"
import { visibleText } from "../../input/visibleText.ts"
import { describe } from "../../openapi/describe.ts"
import { BadInput, NotFound, Unavailable } from "../../server/errors.ts"
import { walletInPath } from "../../v3/parameters.ts"
import { conditionPage, includeCombos, ofGroup, ofMarket, ofPosition, page, sortedBy } from "./parameters.ts"
import { ConditionHolders, GlobalPositionList, MarketHolders, TokenHolders, WalletPositionList } from "./shapes.ts"

const error = [BadInput, NotFound, Unavailable] as const

const paging =
  "Pages by `cursor` neither overlap nor skip positions that stay as they are. A position whose sort value changes between two pages moves, and may then be on both or on neither. `as_of` names the block and the entry of the event log that the answer shows. Send `accept: text/csv` or `application/x-ndjson` for the rows alone; `x-next-cursor` is then a header."

const describeList = (summary: string, path: string, ...paragraphs: ReadonlyArray<string>) =>
  describe(summary, path, ...paragraphs, paging)

const all = HttpApiEndpoint.get("all", "/v3/positions", {
  query: { ...ofPosition, ...ofMarket, include_combos: includeCombos, ...sortedBy("recent"), ...page },
  success: GlobalPositionList,
  error,
}).annotateMerge(
  describeList(
    "Positions",
    "/v3/positions?status=open&min_size=100&limit=10",
    `Positions of all wallets. Without a market they are listed by their last change; any other \`sort\` needs \`token_id\`, \`condition_id\` or \`market_slug\`, and is refused without. One page without a market examines at most ${mostExamined} positions: with \`status\` or \`min_size\` it can be short or empty while \`has_more\` is true.`,
  ),
)

const ofWallet = HttpApiEndpoint.get("ofWallet", "/v3/wallets/:address/positions", {
  params: walletInPath,
  query: {
    ...ofPosition,
    ...ofMarket,
    ...ofGroup,
    include_combos: includeCombos,
    ...sortedBy("realized_pnl"),
    ...page,
  },
  success: WalletPositionList,
  error,
}).annotateMerge(
  describeList(
    "Positions of a wallet",
    "/v3/wallets/$WALLET/positions?status=open&sort=unrealized_pnl&limit=10",
    "A wallet that never held anything has an empty list. Combos are left out unless `include_combos=true`, which adds the fields of combos and `combo_position_count`.",
  ),
)

const ofToken = HttpApiEndpoint.get("ofToken", "/v3/markets/:token_id/positions", {
  params: { token_id: TokenId.annotate({ description: "a token id in decimal digits" }) },
  query: { ...ofPosition, ...sortedBy("pnl"), ...page },
  success: TokenHolders,
  error,
}).annotateMerge(
  describeList(
    "Positions of a token",
    "/v3/markets/$TOKEN/positions?status=open&sort=size&limit=10",
    "All wallets with a position.",
  ),
)

const ofCondition = HttpApiEndpoint.get("ofCondition", "/v3/markets/condition/:condition_id/positions", {
  params: { condition_id: ConditionId.annotate({ description: "0x and 64 hexadecimal digits" }) },
  query: { ...ofPosition, ...sortedBy("pnl"), ...conditionPage },
  success: ConditionHolders,
  error,
}).annotateMerge(
  describeList(
    "Positions of a condition",
    "/v3/markets/condition/$CONDITION/positions?limit=10",
    "Positions of all outcomes. A page has up to 300 positions on the starter plan, and up to 1,000 from growth on.",
  ),
)

const ofSlug = HttpApiEndpoint.get("ofSlug", "/v3/markets/slug/:slug/positions", {
  params: { slug: visibleText("a slug").annotate({ description: "slug of a market" }) },
  query: { ...ofPosition, ...sortedBy("realized_pnl"), ...page },
  success: MarketHolders,
  error,
}).annotateMerge(
  describeList(
    "Positions of a market",
    "/v3/markets/slug/$SLUG/positions?status=open&limit=10",
    "Positions of all outcomes.",
  ),
)

export class PositionPagesGroup extends HttpApiGroup.make("positionPages")
  .add(all, ofWallet, ofToken, ofCondition, ofSlug)
  .annotateEndpointsMerge(paidOnly())
  .annotateMerge(
    OpenApi.annotations({
      title: "Positions",
      description: "Sorted lists of positions. 503 until the whole history has been read.",
    }),
  ) {}
