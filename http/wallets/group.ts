import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { Wallet } from "#src/domain/Wallet.ts"
import { mostSourceFacts } from "#src/wallets/explain/sources.ts"
import { paidOnly } from "../access/Rule.ts"
import { describe } from "../openapi/describe.ts"
import { BadInput, NotFound, Unavailable } from "../server/errors.ts"
import { walletInPath } from "../v3/parameters.ts"
import * as parameters from "./parameters.ts"
import { BucketList, Explained, Pnl, Summary, SummaryBatch } from "./shapes.ts"

const error = [BadInput, NotFound, Unavailable] as const

const mostWallets = 100

const summary = HttpApiEndpoint.get("summary", "/v3/wallets/:address", {
  params: walletInPath,
  query: {
    include_combos: parameters.includeCombos,
    include_accounting_summary: parameters.flag("true adds fees paid, and rebates and rewards received"),
  },
  success: Summary,
  error,
}).annotateMerge(
  describe(
    "P&L of a wallet",
    "/v3/wallets/$WALLET",
    "The wallet's row of the all-time leaderboard, as of the newest block. A wallet that never traded has zeros.",
  ),
)

const batch = HttpApiEndpoint.post("batch", "/v3/wallets/batch", {
  payload: Schema.Struct({
    wallets: Schema.Array(Wallet)
      .check(
        Schema.isMinLength(1, { message: "expected at least one address" }),
        Schema.isMaxLength(mostWallets, { message: `expected at most ${mostWallets} addresses` }),
      )
      .annotate({ description: `1 to ${mostWallets} wallet addresses` }),
  }).annotate({ identifier: "WalletBatch" }),
  success: SummaryBatch,
  error,
}).annotateMerge(
  OpenApi.annotations({
    summary: "P&L of several wallets",
    description: [
      `The summaries of up to ${mostWallets} wallets as of one block, in the given order. A wallet that is given twice comes twice.`,
      '```sh\ncurl -X POST "$URL/v3/wallets/batch" -H "x-api-key: $KEY" -H "content-type: application/json" -d \'{"wallets":["0x…"]}\'\n```',
    ].join("\n\n"),
  }),
)

const pnl = HttpApiEndpoint.get("pnl", "/v3/wallets/:address/pnl", {
  params: walletInPath,
  query: {
    ...parameters.window,
    ...parameters.scope,
    include_unrealized: parameters.flag("true adds the value of what is held now to the answer for a window"),
    include_combos: parameters.includeCombos,
  },
  success: Pnl,
  error,
}).annotateMerge(
  describe(
    "P&L of a wallet in a window or scope",
    "/v3/wallets/$WALLET/pnl?period=7d&tags=crypto",
    "Of all time, or what was realized in a `period` or from `after` until `before`. At most one scope: `category`, `tags`, `tag_slug`, `market`, `market_slug`, `event_slug`, `condition_id`, or a `token_id`, which may be of the `condition_id`. Unknown names are 404.",
    "The windows of 1, 7 and 30 days are those of the rolling leaderboards: they end at the newest block. `after` and `before` of the answer repeat the window.",
  ),
)

const events = HttpApiEndpoint.get("events", "/v3/wallets/:address/pnl/events", {
  params: walletInPath,
  query: { ...parameters.buckets, ...parameters.window },
  success: BucketList,
  error,
}).annotateMerge(
  describe(
    "P&L of a wallet over time",
    "/v3/wallets/$WALLET/pnl/events?period=30d",
    "What was realized in each hour, day, week or month of UTC, oldest first. Buckets without gains or losses are left out. If there are more than `limit`, the newest are returned and `has_more` is true; `before` with the start of the first bucket continues. Totals are of the whole window, and so is `cumulative_pnl`: the last one is the total.",
    "Send `accept: text/csv` or `application/x-ndjson` for the buckets alone.",
  ),
)

const explain = HttpApiEndpoint.get("explain", "/v3/wallets/:address/pnl/explain", {
  params: walletInPath,
  query: parameters.explained,
  success: Explained,
  error,
}).annotateMerge(
  describe(
    "Where the P&L of a position comes from",
    "/v3/wallets/$WALLET/pnl/explain?token_id=$TOKEN",
    "Every fact that made a position, oldest first, with its shares, cost and realized P&L before and after each: fills, splits, merges, conversions, transfers, redemptions, resolutions, fee refunds and stock changes. The last line is the position. Needs `token_id`, or `condition_id` for the positions in all its tokens.",
    `The cost of shares that came by transfer or conversion follows from the positions that they came from; an answer reads at most ${mostSourceFacts} facts of those.`,
    "Send `accept: text/csv` or `application/x-ndjson` for the lines alone; `x-next-cursor` is then a header.",
  ),
)

export class WalletPnlGroup extends HttpApiGroup.make("walletPnl")
  .add(summary, batch, pnl, events, explain)
  .annotateEndpointsMerge(paidOnly())
  .annotateMerge(OpenApi.annotations({ title: "Wallets", description: "What wallets earned, from the ledger." })) {}
