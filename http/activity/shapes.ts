import { Schema } from "effect"
import { activityKinds } from "#src/activity/model.ts"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { number, text, textOrNull } from "../openapi/described.ts"
import { envelopeFields } from "../v3/answer.ts"

const numbers = (description: string) => Schema.NullOr(Schema.Array(Schema.Finite)).annotate({ description })
const texts = (description: string) => Schema.NullOr(Schema.Array(Schema.String)).annotate({ description })

const place = {
  id: text("Transaction hash, `_` and log index; of a transfer also `_` and its index within the log"),
  timestamp: text("Unix seconds"),
}
const names = {
  transaction_hash: Schema.String,
  market: textOrNull(
    "Question of the market, or the legs of a combo; null if there is none, or while it is not listed",
  ),
  slug: textOrNull("Slug of the market"),
}

export const Act = Schema.Struct({
  event_type: Schema.Literals(activityKinds),
  ...place,
  ref_id: textOrNull(
    "What it concerns: the condition of a split, merge or redemption, the neg-risk market of a conversion (null in the second protocol generation, which names none), the token of a transfer",
  ),
  amount: text(
    "Decimal: dollars that were split or merged, or that a redemption paid; shares that were converted or transferred",
  ),
  extra: textOrNull(
    "Index sets of a redemption, separated by commas; index set of a conversion; the other wallet of a transfer; null for splits and merges",
  ),
  ...names,
}).annotate({ identifier: "WalletAct" })

export const Pair = Schema.Struct({
  ...place,
  condition: text("Condition id"),
  amount: text("Dollars that were split into, or merged from, as many shares of each outcome; decimal"),
  ...names,
}).annotate({ identifier: "SplitOrMerge" })

export const Conversion = Schema.Struct({
  ...place,
  neg_risk_market_id: Schema.String,
  amount: text("Shares of each NO that were given up; decimal"),
  index_set: textOrNull("The questions whose NO was given up, one bit for each, in decimal digits"),
  question_count: Schema.Int.annotate({ description: "Questions of the market at that time" }),
  transaction_hash: Schema.String,
}).annotate({ identifier: "Conversion" })

export const Redemption = Schema.Struct({
  ...place,
  condition: text("Condition id"),
  payout: text("Dollars; decimal"),
  index_sets: texts("Outcomes that were given up: 1 for the first, 2 for the second"),
  condition_id: text("As `condition`"),
  payout_e6: text("Integer of 10⁻⁶ dollars"),
  payout_usdc: number("Dollars"),
  market_title: textOrNull("Question of the market; null while it is not listed, as are the other names"),
  market_slug: Schema.NullOr(Schema.String),
  market_image: textOrNull("URL of a picture"),
  event_title: Schema.NullOr(Schema.String),
  event_slug: Schema.NullOr(Schema.String),
  neg_risk: Schema.NullOr(Schema.Boolean),
  token_ids: texts("Tokens of the condition, by outcome"),
  outcomes: texts("Names of the outcomes"),
  payouts: numbers("What the resolution pays each outcome, in proportion; null if it is before the ledger"),
  outcome_prices: numbers("What the resolution pays per share of each outcome, 0 to 1"),
  winning_outcome_index: Schema.NullOr(Schema.Int).annotate({ description: "Null if several outcomes are paid" }),
  winning_outcome: Schema.NullOr(Schema.String),
  winning_token_id: Schema.NullOr(Schema.String),
  resolved_at: textOrNull("Unix seconds"),
  transaction_hash: Schema.String,
  redemption_source: Schema.Literals(["conditional_tokens", "module"]).annotate({
    description:
      "The contract that paid: that of the outcome tokens, or a module of the second protocol generation. Adapters and the auto-redeemer in between are not recorded",
  }),
  source_event: Schema.Literals(["PayoutRedemption", "PositionRedeemed"]).annotate({
    description: "The log it is from",
  }),
  block_number: Schema.Int,
  log_index: Schema.Int,
}).annotate({ identifier: "Redemption" })

export const FeePaid = Schema.Struct({
  ...place,
  maker: text("Owner of the order: the wallet"),
  taker: text("The counterparty; the exchange if the order started the match"),
  fee: number("Dollars that were charged; a fee in shares counts at the price of the trade"),
  fee_paid: number("`fee` less what was refunded in the same transaction"),
  fee_paid_raw: text("`fee_paid` as an integer of 10⁻⁶ dollars"),
  price: number("Dollars per share, to six decimals"),
  size: number("Shares"),
  direction: Schema.Literals(["BUY", "SELL"]),
  market: textOrNull("Question of the market; null while it is not listed"),
  slug: textOrNull("Slug of the market"),
  condition_id: Schema.NullOr(Schema.String),
  token_id: Schema.String,
  order_hash: Schema.String,
  transaction_hash: Schema.String,
  source: Schema.Literal("order_filled").annotate({ description: "The log it is from" }),
}).annotate({ identifier: "FeePaid" })

export const Flow = Schema.Struct({
  event_type: Schema.Literals(["deposit", "withdrawal"]),
  direction: Schema.Literals(["deposit", "withdrawal"]),
  amount: number("Dollars"),
  amount_usdc: number("As `amount`"),
  amount_raw: text("Integer of 10⁻⁶ dollars"),
  asset: text("The collateral that the wallet received or gave up. Which USDC it was exchanged for is not recorded"),
  asset_symbol: Schema.Literal("pUSD"),
  ramp: Schema.Null.annotate({ description: "Which ramp exchanged it is not recorded: null" }),
  source_event: Schema.Literals(["Wrapped", "Unwrapped"]).annotate({ description: "The log it is from" }),
  recipient: textOrNull(
    "Who received the asset of a deposit: the wallet. Who received USDC of a withdrawal is not recorded: null",
  ),
  id: place.id,
  transaction_hash: Schema.String,
  block_number: Schema.Int,
  block_timestamp: Schema.Int.annotate({ description: "Unix seconds" }),
  log_index: Schema.Int,
}).annotate({ identifier: "CollateralFlow" })

export const Fee = Schema.Struct({
  ...place,
  receiver: text("Who was paid the fee: an account of the venue or a fee module"),
  amount: text("Dollars, before refunds; decimal. A fee in shares counts at the price of its order"),
  transaction_hash: Schema.String,
  token_id: text("The token that was traded"),
  order_hash: text("The order that was charged"),
}).annotate({ identifier: "Fee" })

const envelope = { ...envelopeFields, coverage: CoverageField }
const ofWallet = { address: Schema.String, ...envelope }

export const ActList = Schema.Struct({ data: Schema.Array(Act), ...ofWallet }).annotate({ identifier: "WalletActList" })
export const PairList = Schema.Struct({ data: Schema.Array(Pair), ...ofWallet }).annotate({
  identifier: "SplitOrMergeList",
})
export const ConversionList = Schema.Struct({ data: Schema.Array(Conversion), ...ofWallet }).annotate({
  identifier: "ConversionList",
})
export const RedemptionList = Schema.Struct({
  data: Schema.Array(Redemption),
  ...ofWallet,
  next_offset: Schema.NullOr(Schema.Int).annotate({
    description: "`offset` of the next page; null at the end, with `cursor`, and where only a cursor goes further",
  }),
  order: Schema.Literals(["desc", "asc"]),
  source: Schema.Literal("onchain"),
}).annotate({ identifier: "RedemptionList" })
export const FeePaidList = Schema.Struct({
  fees: Schema.Array(FeePaid),
  ...ofWallet,
  page_total_fees_paid: number("Sum of `fee_paid` on this page"),
  page_total_fees_paid_raw: text("The same as an integer of 10⁻⁶ dollars"),
  page_total_fees_paid_raw_note: Schema.String,
  fee_semantics: Schema.String,
  after: text("Unix seconds; 0 if not given"),
  before: text("Unix seconds; 9999999999 if not given"),
}).annotate({ identifier: "FeePaidList" })
export const FlowList = Schema.Struct({
  flows: Schema.Array(Flow),
  ...ofWallet,
  total_matching_rows: Schema.Int.annotate({
    description: "All flows that match, on this page or not, as in the totals",
  }),
  total_deposited: Schema.Finite,
  total_withdrawn: Schema.Finite,
  net_deposited: number("`total_deposited` less `total_withdrawn`"),
  source: Schema.Literal("onchain"),
}).annotate({ identifier: "CollateralFlowList" })
export const FeeList = Schema.Struct({ data: Schema.Array(Fee), ...envelope }).annotate({ identifier: "FeeList" })
export const ReceiverFeeList = Schema.Struct({
  data: Schema.Array(Fee),
  receiver: Schema.String,
  ...envelope,
}).annotate({ identifier: "ReceiverFeeList" })
