import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { flowKinds } from "#src/activity/model.ts"
import { Wallet } from "#src/domain/Wallet.ts"
import { paidOnly } from "../access/Rule.ts"
import { describe } from "../openapi/describe.ts"
import { BadInput, Unavailable } from "../server/errors.ts"
import { pageOf, walletInPath as params, timeRange } from "../v3/parameters.ts"
import { rebates } from "./rebates/endpoint.ts"
import * as shapes from "./shapes.ts"

const error = [BadInput, Unavailable] as const

const paging =
  "Pages by `cursor` neither overlap nor skip rows, however many are added meanwhile. `as_of` names the block and the entry of the event log that the answer shows, so that a stream can continue from there. Send `accept: text/csv` or `application/x-ndjson` for the rows alone; `x-next-cursor` is then a header. A wallet that never did anything has an empty list."

const describeList = (summary: string, path: string, ...paragraphs: ReadonlyArray<string>) =>
  describe(summary, path, ...paragraphs, paging)

const page = (what: string) => ({ ...timeRange(what), ...pageOf(what) })

const activity = HttpApiEndpoint.get("activity", "/v3/wallets/:address/activity", {
  params,
  query: page("events"),
  success: shapes.ActList,
  error,
}).annotateMerge(
  describeList(
    "Activity of a wallet",
    "/v3/wallets/$WALLET/activity?limit=10",
    "What a wallet did besides trading, newest first. `event_type` is `split`, `merge`, `redemption`, `conversion`, `transfer_in` or `transfer_out`; a transfer to itself is listed as both. Shares that a match, a split or a conversion moves are no transfers.",
  ),
)

const splits = HttpApiEndpoint.get("splits", "/v3/wallets/:address/splits", {
  params,
  query: page("splits"),
  success: shapes.PairList,
  error,
}).annotateMerge(
  describeList(
    "Splits of a wallet",
    "/v3/wallets/$WALLET/splits?limit=10",
    "Collateral that became one share of each outcome. Splits with which an exchange settles a match are part of the trade.",
  ),
)

const merges = HttpApiEndpoint.get("merges", "/v3/wallets/:address/merges", {
  params,
  query: page("merges"),
  success: shapes.PairList,
  error,
}).annotateMerge(
  describeList(
    "Merges of a wallet",
    "/v3/wallets/$WALLET/merges?limit=10",
    "Shares of both outcomes that became collateral again.",
  ),
)

const redemptions = HttpApiEndpoint.get("redemptions", "/v3/wallets/:address/redemptions", {
  params,
  query: page("redemptions"),
  success: shapes.RedemptionList,
  error,
}).annotateMerge(
  describeList(
    "Redemptions of a wallet",
    "/v3/wallets/$WALLET/redemptions?limit=10",
    "Shares of resolved markets that were given up for their payout, which is 0 for those of a losing outcome.",
  ),
)

const conversions = HttpApiEndpoint.get("conversions", "/v3/wallets/:address/nrc", {
  params,
  query: page("conversions"),
  success: shapes.ConversionList,
  error,
}).annotateMerge(
  describeList(
    "Neg-risk conversions of a wallet",
    "/v3/wallets/$WALLET/nrc?limit=10",
    "NO shares of some questions of a neg-risk market that became YES shares of all others, and collateral. Conversions of the second protocol generation name no market: GET /v3/wallets/{address}/activity has them.",
  ),
)

const feesPaid = HttpApiEndpoint.get("feesPaid", "/v3/wallets/:address/fees-paid", {
  params,
  query: page("fees"),
  success: shapes.FeePaidList,
  error,
}).annotateMerge(
  describeList(
    "Fees that a wallet paid",
    "/v3/wallets/$WALLET/fees-paid?limit=10",
    "The fills of a wallet's own orders that were charged a fee.",
  ),
)

const flows = HttpApiEndpoint.get("flows", "/v3/wallets/:address/polyusd-flows", {
  params,
  query: {
    kind: Schema.optionalKey(
      Schema.Literals(flowKinds).annotate({ description: "all, deposit or withdrawal; all by default" }),
    ),
    ...page("flows"),
  },
  success: shapes.FlowList,
  error,
}).annotateMerge(
  describeList(
    "Deposits and withdrawals of a wallet",
    "/v3/wallets/$WALLET/polyusd-flows?kind=deposit&limit=10",
    "The venue's collateral that the ramps issued to a wallet or took back. Payouts of the auto-redeemer are no deposits. The totals cover everything that matches, on this page or not.",
  ),
)

const fees = HttpApiEndpoint.get("fees", "/v3/fees", {
  query: page("fees"),
  success: shapes.FeeList,
  error,
}).annotateMerge(
  describeList(
    "Fees",
    "/v3/fees?limit=10",
    "Every fee of an order, from the exchange's log of the payment to its receiver, before refunds.",
  ),
)

const ofReceiver = HttpApiEndpoint.get("ofReceiver", "/v3/fees/:receiver", {
  params: {
    receiver: Wallet.annotate({ description: "address of the receiver: 0x and 40 hexadecimal digits, in any case" }),
  },
  query: page("fees"),
  success: shapes.ReceiverFeeList,
  error,
}).annotateMerge(
  describeList("Fees of a receiver", "/v3/fees/$RECEIVER?limit=10", "As GET /v3/fees, for one account or fee module."),
)

export class ActivityGroup extends HttpApiGroup.make("activity")
  .add(activity, splits, merges, redemptions, conversions, feesPaid, flows, rebates, fees, ofReceiver)
  .annotateEndpointsMerge(paidOnly())
  .annotateMerge(
    OpenApi.annotations({
      title: "Activity",
      description: "What wallets did besides trading, what they paid and were paid, from the ledger.",
    }),
  ) {}
