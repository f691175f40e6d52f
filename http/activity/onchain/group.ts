import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { limitOf } from "../../input/page.ts"
import { describe } from "../../openapi/describe.ts"
import { BadInput, Unavailable } from "../../server/errors.ts"
import { offsetUpTo, walletInPath as params } from "../../v3/parameters.ts"
import { OnchainActivity, OnchainRedemptions } from "./shapes.ts"

export const onchainLimit = { default: 100, max: 500 }

const order =
  "Newest first, from the ledger. New ones shift the pages: the lists under `/v3` have cursors. A wallet that never did anything has an empty list."

const page = (what: string) => ({
  limit: limitOf(what, onchainLimit),
  offset: Schema.optionalKey(offsetUpTo(what, "the lists under /v3 go further, by `cursor`")),
})

const error = [BadInput, Unavailable] as const

const activity = HttpApiEndpoint.get("activity", "/v2/onchain/wallets/:address/activity", {
  params,
  query: page("events"),
  success: OnchainActivity,
  error,
}).annotateMerge(
  describe("Splits, merges and conversions of a wallet", "/v2/onchain/wallets/$WALLET/activity?limit=10", order),
)

const redemptions = HttpApiEndpoint.get("redemptions", "/v2/onchain/wallets/:address/redemptions", {
  params,
  query: page("redemptions"),
  success: OnchainRedemptions,
  error,
}).annotateMerge(describe("Redemptions of a wallet", "/v2/onchain/wallets/$WALLET/redemptions?limit=10", order))

export class OnchainActivityGroup extends HttpApiGroup.make("onchainActivity")
  .add(activity, redemptions)
  .annotateMerge(
    OpenApi.annotations({ title: "On-chain activity", description: "What wallets did besides trading, page by page." }),
  ) {}
