import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { TokenId } from "#src/domain/TokenId.ts"
import { scanLimits } from "#src/trades/list/candidates.ts"
import { paidOnly } from "../../access/Rule.ts"
import { visibleText } from "../../input/visibleText.ts"
import { describe } from "../../openapi/describe.ts"
import { BadInput, NotFound, Unavailable } from "../../server/errors.ts"
import { pageOf, timeRange, walletInPath } from "../../v3/parameters.ts"
import * as parameters from "./parameters.ts"
import { MarketTradeList, TokenTradeList, TradeList, WalletTradeList } from "./shapes.ts"

const error = [BadInput, NotFound, Unavailable] as const

const paging =
  `One page of a wallet, a builder or everybody examines at most ${scanLimits.examined} fills: with \`side\`, \`role\` or a smallest amount it can be short or empty while \`has_more\` is true. ` +
  "Pages by `cursor` neither overlap nor skip trades, however many are added meanwhile. `as_of` names the block and the entry of the event log that the answer shows, so that a stream can continue from there. Send `accept: text/csv` or `application/x-ndjson` for the rows alone; `x-next-cursor` is then a header."

const describeList = (summary: string, path: string, ...paragraphs: ReadonlyArray<string>) =>
  describe(summary, path, ...paragraphs, paging)

const { filters, groupBy: group_by, ofTrade, role, sortBy: sort_by } = parameters
const { order_hash } = filters
const { includeCombos: include_combos } = parameters
const page = { ...timeRange("trades"), group_by, sort_by, ...pageOf("trades") }

const all = HttpApiEndpoint.get("all", "/v3/trades", {
  query: { ...filters, ...page },
  success: TradeList,
  error,
}).annotateMerge(
  describeList(
    "Trades",
    "/v3/trades?min_amount_usd=1000&limit=10",
    "Trades of all wallets. Each is listed once for every order that it filled; with `order_hash` or `builder`, the fills of those orders. All given filters must match: filters that exclude each other are refused, unknown tokens, conditions and slugs are 404.",
  ),
)

const ofWallet = HttpApiEndpoint.get("ofWallet", "/v3/wallets/:address/trades", {
  params: walletInPath,
  query: { ...filters, role, include_combos, ...page },
  success: WalletTradeList,
  error,
}).annotateMerge(
  describeList(
    "Trades of a wallet",
    "/v3/wallets/$WALLET/trades?side=buy&limit=10",
    "The fills of a wallet's own orders, in either role. A wallet that never traded has an empty list. `include_combos=true` adds `combo_trades`: those of combos among them, in the form of GET /v3/wallets/{address}/combos/trades, of the same time, side, order, `limit` and `offset`.",
  ),
)

const ofToken = HttpApiEndpoint.get("ofToken", "/v3/markets/:token_id/trades", {
  params: { token_id: TokenId.annotate({ description: "a token id in decimal digits" }) },
  query: { order_hash, ...ofTrade, ...page },
  success: TokenTradeList,
  error,
}).annotateMerge(
  describeList("Trades of a token", "/v3/markets/$TOKEN/trades?limit=10", "As GET /v3/trades with `token_id`."),
)

const ofMarket = HttpApiEndpoint.get("ofMarket", "/v3/markets/slug/:slug/trades", {
  params: { slug: visibleText("a slug").annotate({ description: "slug of a market" }) },
  query: { order_hash, ...ofTrade, ...page },
  success: MarketTradeList,
  error,
}).annotateMerge(
  describeList(
    "Trades of a market",
    "/v3/markets/slug/$SLUG/trades?limit=10",
    "As GET /v3/trades with `market_slug`: trades of both outcomes.",
  ),
)

export class TradeListsGroup extends HttpApiGroup.make("tradeLists")
  .add(all, ofWallet, ofToken, ofMarket)
  .annotateEndpointsMerge(paidOnly({ heavy: true }))
  .annotateMerge(
    OpenApi.annotations({ title: "Trades", description: "Lists of trades from the ledger, by any filter." }),
  ) {}
