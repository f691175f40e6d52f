import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { TokenId } from "#src/domain/TokenId.ts"
import { Wallet } from "#src/domain/Wallet.ts"
import { closedSorts } from "#src/positions/ClosedPositionStore.ts"
import { mostLookedAt } from "#src/positions/OnchainPositionStore.ts"
import { shownStatuses } from "#src/positions/PositionFilter.ts"
import { NotFound, Unavailable } from "../errors.ts"
import { seen } from "../seen.ts"
import { ClosedPositions, OnchainPositions, WalletPositions } from "./shapes.ts"

export const closedLimit = { default: 10, most: 50 }
export const walletLimit = { default: 500, most: 1_000 }
export const onchainLimit = { default: 100, most: 500 }

const mostShares = 1_000_000_000

const about = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const limitOf = (limit: { readonly default: number; readonly most: number }) =>
  Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: limit.most })).annotate({
      description: `positions at most, 1 to ${limit.most}; ${limit.default} when left out`,
    }),
  )

const offset = Schema.optionalKey(
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
    description: "positions to pass over, 0 or more; 0 when left out",
  }),
)

const params = {
  address: Wallet.annotate({
    description: "the address of a wallet: 0x and 40 hexadecimal digits, in any case",
  }),
}

const filters = {
  status: Schema.optionalKey(
    Schema.Literals(shownStatuses).annotate({
      description: `${shownStatuses.join(", ")}; all when left out. \`closed\` are all that are not \`open\`, also what is redeemable or redeemed`,
    }),
  ),
  tag_slug: Schema.optionalKey(
    seen("a tag's slug").annotate({ description: "only those in markets of this tag, see GET /v2/onchain/tags" }),
  ),
  market_slug: Schema.optionalKey(seen("a slug").annotate({ description: "only those in the market with this slug" })),
  condition_id: Schema.optionalKey(ConditionId.annotate({ description: "only those in this condition" })),
  token_id: Schema.optionalKey(TokenId.annotate({ description: "only those of this token" })),
  min_size: Schema.optionalKey(
    Schema.Finite.check(
      Schema.isBetween({ minimum: 0, maximum: mostShares }, { message: `expected a number from 0 to ${mostShares}` }),
    ).annotate({ description: "only those with so many shares left, or more; counted in millionths" }),
  ),
}

const order = (description: string) => Schema.optionalKey(Schema.Literals(["asc", "desc"]).annotate({ description }))

const closed = HttpApiEndpoint.get("closed", "/v2/wallets/:address/closed-positions", {
  params,
  query: {
    limit: limitOf(closedLimit),
    offset,
    sortBy: Schema.optionalKey(
      Schema.Literals(closedSorts).annotate({
        description: `${closedSorts.join(", ")}; TIMESTAMP when left out. Equals are in an order that stays`,
      }),
    ),
    sortDirection: Schema.optionalKey(
      Schema.Literals(["ASC", "DESC"]).annotate({ description: "ASC or DESC; DESC when left out" }),
    ),
    market: Schema.optionalKey(seen("a slug").annotate({ description: "only those in the market with this slug" })),
    title: Schema.optionalKey(
      seen("a title").annotate({
        description:
          "only those whose title has this in it, in upper or lower case; no character has a special meaning",
      }),
    ),
  },
  success: ClosedPositions,
  error: [NotFound, Unavailable],
}).annotateMerge(
  about(
    "A wallet's closed positions",
    `Those of which no shares are left, and those whose condition is resolved. 404 for an address that the chain has never mentioned; a
wallet without closed positions has an empty list.

\`\`\`sh
curl -H "x-api-key: $KEY" "localhost:8080/v2/wallets/$WALLET/closed-positions?sortBy=REALIZEDPNL&limit=50"
\`\`\``,
  ),
)

const ofWallet = HttpApiEndpoint.get("ofWallet", "/v2/wallets/:address/positions/onchain", {
  params,
  query: {
    ...filters,
    limit: limitOf(walletLimit),
    offset,
    order: order("desc, those that changed last first, or asc; desc when left out"),
  },
  success: WalletPositions,
  error: [NotFound, Unavailable],
}).annotateMerge(
  about(
    "All positions of a wallet",
    `Open and closed, with sums over all of them, as of one block. Up to ${walletLimit.most} in one answer; where \`has_more\` is true, go on with
\`offset\`. The sums are over everything that matches the filters, whatever \`limit\` and \`offset\` are. 404 for an address that the chain has
never mentioned.

\`\`\`sh
curl -H "x-api-key: $KEY" "localhost:8080/v2/wallets/$WALLET/positions/onchain?status=open"
\`\`\``,
  ),
)

const onchain = HttpApiEndpoint.get("onchain", "/v2/onchain/positions", {
  query: {
    wallet: Schema.optionalKey(Wallet.annotate({ description: "only those of this wallet" })),
    ...filters,
    limit: limitOf(onchainLimit),
    order: order("desc, the tokens that were met last on the chain first, or asc; desc when left out"),
    pagination_key: Schema.optionalKey(
      Schema.String.annotate({ description: "the `pagination_key` of the page before; the rest must be the same" }),
    ),
  },
  success: OnchainPositions,
  error: Unavailable,
}).annotateMerge(
  about(
    "Positions of everybody",
    `By token, then by wallet, each in the order in which the chain mentioned them first: that never changes, so pages share nothing and leave
nothing out, whatever happens meanwhile. All filters that are given must hold. For one page at most ${mostLookedAt} positions are
looked at: with \`status\` or \`min_size\` a page can be short, or empty, and \`has_more\` true all the same. What nobody knows has no positions,
which is no error.

\`\`\`sh
curl -H "x-api-key: $KEY" "localhost:8080/v2/onchain/positions?tag_slug=crypto&status=open&min_size=100"
\`\`\``,
  ),
)

export class WalletsGroup extends HttpApiGroup.make("wallets")
  .add(closed, ofWallet, onchain)
  .annotateMerge(
    OpenApi.annotations({
      title: "Wallets",
      description:
        "What wallets hold, held, won and lost, as the chain tells it. 503 until the whole history has been read for the first time.",
    }),
  ) {}
