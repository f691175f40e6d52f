import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { TokenId } from "#src/domain/TokenId.ts"
import { Wallet } from "#src/domain/Wallet.ts"
import { limitOf } from "../../input/page.ts"
import { visibleText } from "../../input/visibleText.ts"
import { describe } from "../../openapi/describe.ts"
import { BadInput, NotFound, Unavailable } from "../../server/errors.ts"
import { groupBy, ofTrade, sortBy } from "../../trades/list/parameters.ts"
import { listOrders, secondParameter, walletInPath } from "../../v3/parameters.ts"
import { TokenFillPage, TradePage, WalletFillPage } from "./shapes.ts"

export const tradeLimit = { default: 100, max: 1_000 }

const error = [BadInput, NotFound, Unavailable] as const

const limit = limitOf("trades", tradeLimit)
const nextPage = (key: string) =>
  Schema.optionalKey(
    visibleText("a cursor").annotate({ description: `the \`${key}\` of the previous page, with the same parameters` }),
  )

const trades = HttpApiEndpoint.get("trades", "/v2/onchain/trades", {
  query: {
    wallet: Schema.optionalKey(Wallet.annotate({ description: "only fills of this wallet's orders" })),
    market_slug: Schema.optionalKey(visibleText("a slug").annotate({ description: "only trades of this market" })),
    condition_id: Schema.optionalKey(ConditionId.annotate({ description: "only trades of this condition's tokens" })),
    token_id: Schema.optionalKey(TokenId.annotate({ description: "only trades of this token" })),
    start_time: secondParameter("start_time", "trades from this second on"),
    end_time: secondParameter("end_time", "trades up to this second"),
    min_total: ofTrade.min_amount_usd,
    limit,
    order: Schema.optionalKey(
      Schema.Literals(listOrders).annotate({ description: "desc (newest or largest first) or asc; desc by default" }),
    ),
    sort_by: sortBy,
    group_by: groupBy,
    pagination_key: nextPage("pagination_key"),
  },
  success: TradePage,
  error,
}).annotateMerge(
  describe(
    "Trades",
    "/v2/onchain/trades?limit=10",
    "The same trades as GET /v3/trades, or GET /v3/wallets/{address}/trades with `wallet`.",
  ),
)

const ofWallet = HttpApiEndpoint.get("ofWallet", "/v2/onchain/wallets/:address/trades", {
  params: walletInPath,
  query: { limit, cursor: nextPage("pagination.cursor") },
  success: WalletFillPage,
  error,
}).annotateMerge(
  describe(
    "Fills of a wallet's orders",
    "/v2/onchain/wallets/$WALLET/trades?limit=10",
    "Newest first, in either role, as the exchange logs them. GET /v3/wallets/{address}/trades has filters.",
  ),
)

const ofToken = HttpApiEndpoint.get("ofToken", "/v2/onchain/markets/:token_id/trades", {
  params: { token_id: TokenId.annotate({ description: "a token id in decimal digits" }) },
  query: { limit, cursor: nextPage("pagination.cursor") },
  success: TokenFillPage,
  error,
}).annotateMerge(
  describe(
    "Trades of a token",
    "/v2/onchain/markets/$TOKEN/trades?limit=10",
    "Newest first, each once for every order that it filled. GET /v3/markets/{token_id}/trades has filters.",
  ),
)

export class OnchainTradesGroup extends HttpApiGroup.make("onchainTrades")
  .add(trades, ofWallet, ofToken)
  .annotateMerge(
    OpenApi.annotations({ title: "Onchain trades", description: "Trades from the ledger, in the form of V2." }),
  ) {}
