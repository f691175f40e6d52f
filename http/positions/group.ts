import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { TokenId } from "#src/domain/TokenId.ts"
import { Wallet } from "#src/domain/Wallet.ts"
import { closedSorts } from "#src/positions/closedQuery.ts"
import { mostScanned } from "#src/positions/OnchainPositionStore.ts"
import { shownStatuses } from "#src/positions/PositionFilter.ts"
import { limitOf, offsetOf } from "../input/page.ts"
import { visibleText } from "../input/visibleText.ts"
import { describe } from "../openapi/describe.ts"
import { NotFound, Unavailable } from "../server/errors.ts"
import { PaginationKey } from "./paginationKey.ts"
import { ClosedPositions, OnchainPositions, WalletPositions } from "./shapes.ts"

export const closedLimit = { default: 10, max: 50 }
export const walletLimit = { default: 500, max: 1_000 }
export const onchainLimit = { default: 100, max: 500 }

const maxShares = 1_000_000_000

const offset = offsetOf("positions")

const params = {
  address: Wallet.annotate({
    description: "wallet address: 0x and 40 hexadecimal digits, case-insensitive",
  }),
}

export const filters = {
  status: Schema.optionalKey(
    Schema.Literals(shownStatuses).annotate({
      description: `${shownStatuses.join(", ")}; all by default. \`closed\` includes every position that is not \`open\`, also redeemable and redeemed ones; \`redeemable\` those whose shares pay out`,
    }),
  ),
  tag_slug: Schema.optionalKey(
    visibleText("a tag's slug").annotate({
      description: "only positions in markets with this tag, see GET /v2/onchain/tags",
    }),
  ),
  market_slug: Schema.optionalKey(
    visibleText("a slug").annotate({ description: "only positions in the market with this slug" }),
  ),
  condition_id: Schema.optionalKey(ConditionId.annotate({ description: "only positions in this condition" })),
  token_id: Schema.optionalKey(TokenId.annotate({ description: "only positions of this token" })),
  min_size: Schema.optionalKey(
    Schema.Finite.check(
      Schema.isBetween({ minimum: 0, maximum: maxShares }, { message: `expected a number from 0 to ${maxShares}` }),
    ).annotate({ description: "only positions with at least this many shares left; precise to millionths" }),
  ),
}

const inTokenOrder = Schema.optionalKey(
  Schema.Literals(["asc", "desc"]).annotate({
    description: "desc (tokens that appeared last on the chain first) or asc; desc by default",
  }),
)

const paginationKey = Schema.optionalKey(
  PaginationKey.annotate({
    description: "the `pagination_key` of the previous page; all other parameters must be the same",
  }),
)

const closed = HttpApiEndpoint.get("closed", "/v2/wallets/:address/closed-positions", {
  params,
  query: {
    limit: limitOf("positions", closedLimit),
    offset,
    sortBy: Schema.optionalKey(
      Schema.Literals(closedSorts).annotate({
        description: `${closedSorts.join(", ")}; TIMESTAMP by default. Equal positions have a stable order`,
      }),
    ),
    sortDirection: Schema.optionalKey(
      Schema.Literals(["ASC", "DESC"]).annotate({ description: "ASC or DESC; DESC by default" }),
    ),
    market: Schema.optionalKey(
      visibleText("a slug").annotate({ description: "only positions in the market with this slug" }),
    ),
    title: Schema.optionalKey(
      visibleText("a title").annotate({
        description: "only positions whose title contains this text, case-insensitive and without wildcards",
      }),
    ),
  },
  success: ClosedPositions,
  error: [NotFound, Unavailable],
}).annotateMerge(
  describe(
    "Closed positions of a wallet",
    "/v2/wallets/$WALLET/closed-positions?sortBy=REALIZEDPNL&limit=50",
    `Positions without remaining shares, and positions whose condition is resolved. 404 for an address that never appeared on the chain; a
wallet without closed positions has an empty list. A position that closes while you read shifts the pages behind it: use
\`sortDirection=ASC\` with \`TIMESTAMP\` to have it appended instead.`,
  ),
)

const ofWallet = HttpApiEndpoint.get("ofWallet", "/v2/wallets/:address/positions/onchain", {
  params,
  query: {
    ...filters,
    limit: limitOf("positions", walletLimit),
    offset,
    order: inTokenOrder,
    pagination_key: paginationKey,
  },
  success: WalletPositions,
  error: [NotFound, Unavailable],
}).annotateMerge(
  describe(
    "All positions of a wallet",
    "/v2/wallets/$WALLET/positions/onchain?status=open",
    `Open and closed positions with totals, as of one block. Ordered by token, by first appearance on the chain: this order never
changes. Up to ${walletLimit.max} per answer; while \`has_more\` is true, continue with \`pagination_key\`, so that pages neither overlap nor skip
positions, or with \`offset\`, which a new position can shift. The totals cover everything that matches the filters, on this page or
not. 404 for an address that never appeared on the chain, and for an unknown tag, market, condition or token.`,
  ),
)

const onchain = HttpApiEndpoint.get("onchain", "/v2/onchain/positions", {
  query: {
    wallet: Schema.optionalKey(Wallet.annotate({ description: "only positions of this wallet" })),
    ...filters,
    limit: limitOf("positions", onchainLimit),
    order: inTokenOrder,
    pagination_key: paginationKey,
  },
  success: OnchainPositions,
  error: [NotFound, Unavailable],
}).annotateMerge(
  describe(
    "Positions of all wallets",
    "/v2/onchain/positions?tag_slug=crypto&status=open&min_size=100",
    `Ordered by token, then by wallet, each by first appearance on the chain. This order never changes, so pages neither overlap nor skip
positions. All given filters must match. One page examines at most ${mostScanned} positions:
with \`status\` or \`min_size\` a page can be short or empty while \`has_more\` is true. 404 for an unknown tag, market, condition or
token; an unknown wallet has no positions.`,
  ),
)

export class WalletsGroup extends HttpApiGroup.make("wallets")
  .add(closed, ofWallet, onchain)
  .annotateMerge(
    OpenApi.annotations({
      title: "Wallets",
      description:
        "Current and past positions of wallets with their gains and losses, from the chain. 503 until the whole history has been read.",
    }),
  ) {}
