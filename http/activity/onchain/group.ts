import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { limitOf } from "../../input/page.ts"
import { BadInput, Unavailable } from "../../server/errors.ts"
import { offsetUpTo, walletInPath as params } from "../../v3/parameters.ts"
import { OnchainActivity, OnchainRedemptions } from "./shapes.ts"

export const onchainLimit = { default: 100, max: 500 }

const about = (summary: string, description: string, path: string) =>
  OpenApi.annotations({
    summary,
    description: `${description} New ones shift the pages: the lists under \`/v3\` have cursors. A wallet that never did anything has an empty list.\n\n\`\`\`sh\ncurl -H "x-api-key: $KEY" "$URL${path}"\n\`\`\``,
  })

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
  about(
    "Splits, merges and conversions of a wallet",
    "Newest first, from the ledger.",
    "/v2/onchain/wallets/$WALLET/activity?limit=10",
  ),
)

const redemptions = HttpApiEndpoint.get("redemptions", "/v2/onchain/wallets/:address/redemptions", {
  params,
  query: page("redemptions"),
  success: OnchainRedemptions,
  error,
}).annotateMerge(
  about(
    "Redemptions of a wallet",
    "Newest first, from the ledger.",
    "/v2/onchain/wallets/$WALLET/redemptions?limit=10",
  ),
)

export class OnchainActivityGroup extends HttpApiGroup.make("onchainActivity")
  .add(activity, redemptions)
  .annotateMerge(
    OpenApi.annotations({ title: "On-chain activity", description: "What wallets did besides trading, page by page." }),
  ) {}
