import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { parameter } from "../../input/parameter.ts"
import { describe } from "../../openapi/describe.ts"
import { BadInput, Unavailable } from "../../server/errors.ts"
import { AsOfField } from "../../v3/answer.ts"
import { walletInPath } from "../../v3/parameters.ts"

const Rebate = Schema.Struct({
  date: Schema.String,
  condition_id: Schema.String,
  asset_address: Schema.String,
  maker_address: Schema.String,
  rebated_fees_usdc: Schema.String.annotate({ description: "Dollars; decimal" }),
}).annotate({ identifier: "Rebate" })

const Rebates = Schema.Struct({
  address: Schema.String,
  date: Schema.String,
  rebates: Schema.Array(Rebate),
  rows_returned: Schema.Int,
  total_rebated_fees_usdc: Schema.NullOr(Schema.Finite).annotate({
    description: "Dollars of all `rebates`; null if the venue did not answer",
  }),
  paid_on_chain_usdc: Schema.Finite.annotate({
    description: "Dollars of rebates that the ledger saw the venue pay the wallet on `date`: for fees of earlier days",
  }),
  payments_on_chain: Schema.Int,
  source: Schema.Literal("venue").annotate({ description: "Where `rebates` are from" }),
  rebate_semantics: Schema.String,
  provider_status: Schema.NullOr(Schema.Int).annotate({
    description: "HTTP status of the venue's answer; null if it did not answer",
  }),
  provider_warning: Schema.NullOr(
    Schema.Struct({
      reason: Schema.String,
      message: Schema.String,
      retry_after_s: Schema.NullOr(Schema.Int),
    }),
  ).annotate({ description: "Why `rebates` are missing; null if they are not" }),
  hint: Schema.NullOr(Schema.String).annotate({ description: "What to do about the warning" }),
  as_of: AsOfField,
  coverage: CoverageField,
  elapsed_ms: Schema.Int,
}).annotate({ identifier: "Rebates" })

const isDay = (text: string) => {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined
  return day !== undefined && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

const date = parameter((text): string | BadInput =>
  isDay(text)
    ? text
    : new BadInput({
        error: `Parameter "date": expected a day as YYYY-MM-DD, got ${JSON.stringify(text.slice(0, 100))}.`,
        param: "date",
        hint: "Days are in UTC; omit it for today.",
      }),
)

export const rebates = HttpApiEndpoint.get("rebates", "/v3/wallets/:address/rebates", {
  params: walletInPath,
  query: { date: Schema.optionalKey(date.annotate({ description: "UTC day, YYYY-MM-DD; today by default" })) },
  success: Rebates,
  error: [BadInput, Unavailable],
}).annotateMerge(
  describe(
    "Maker rebates of a wallet",
    "/v3/wallets/$WALLET/rebates",
    "What the venue gives a maker back of the fees that were paid on one day for trades with its orders, by market. The venue is asked for every answer. If it refuses, fails or is slow, the answer is 200 all the same: `rebates` is empty, `total_rebated_fees_usdc` null, and `provider_warning` and `hint` say why. `paid_on_chain_usdc` is from the ledger.",
  ),
)
