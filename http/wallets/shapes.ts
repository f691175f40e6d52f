import { Schema } from "effect"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { granularities } from "#src/wallets/model.ts"
import { scopeNames } from "../leaderboards/shapes.ts"
import { integer, numberOrNull, textOrNull } from "../openapi/described.ts"
import { envelopeFields, objectFields } from "../v3/answer.ts"

const Money = Schema.Finite.annotate({ description: "USDC" })
const money = (description: string) => Schema.Finite.annotate({ description: `${description}, USDC` })

/** A row of the all-time leaderboard without its rank. */
const sumFields = {
  net_realized_pnl: money("Realized gains less losses of all time"),
  realized_pnl: Money.annotate({ description: "Same as `net_realized_pnl`" }),
  gross_profit: money("Sum of the realized gains"),
  gross_loss: Money.annotate({ description: "Sum of the realized losses, USDC; not negative" }),
  unrealized_pnl: money("Value of open positions at the newest prices, less their cost"),
  total_pnl: Money.annotate({ description: "`net_realized_pnl` + `unrealized_pnl`" }),
  wins: integer("Realized gains"),
  losses: integer("Realized losses"),
  position_count: integer("Outcomes ever held"),
  open_positions: integer("Outcomes held now whose market is not resolved"),
  total_volume: money("Volume of all trades"),
  basis: Schema.Literals(["known", "unknown"]).annotate({
    description:
      "`unknown` if the wallet has positions with shares from before `coverage`, whose cost is unknown: their gains, losses and value are not counted",
  }),
  partial_positions: integer("Positions of unknown cost"),
}

const ComboPnl = Schema.Struct({
  position_type: Schema.Literal("combo"),
  included: Schema.Boolean.annotate({ description: "Whether the other figures contain these: always" }),
  realized_pnl: Money,
  unrealized_pnl: Money,
  total_pnl: Money,
  position_count: Schema.Int,
  open_positions: Schema.Int,
}).annotate({ identifier: "ComboPnl" })

/** With `include_combos=true`. */
const comboFields = {
  include_combos: Schema.optionalKey(Schema.Boolean),
  included_position_types: Schema.optionalKey(Schema.Array(Schema.Literals(["market", "combo"]))),
  combo_pnl: Schema.optionalKey(ComboPnl.annotate({ description: "The part that comes from combos" })),
}

const address = Schema.String.annotate({ description: "In lower case" })

const raw = Schema.NullOr(Schema.String).annotate({ description: "The amount in 10⁻⁶ USDC" })
const orNull = Schema.NullOr(Schema.Int)
const Received = Schema.Struct({
  available: Schema.Boolean,
  loaded: Schema.Boolean,
  status: Schema.Literal("loaded"),
  amount: Money,
  raw,
}).annotate({ identifier: "ReceivedOutsidePnl" })

const AccountingSummary = Schema.Struct({
  available: Schema.Boolean,
  loaded: Schema.Boolean,
  has_order_filled_rows: Schema.Boolean,
  source: Schema.Literal("onchain"),
  fees_paid: Schema.Struct({
    available: Schema.Boolean,
    loaded: Schema.Boolean.annotate({
      description:
        "false while the fills of a busy wallet are added up for the first time; the other fields are then null",
    }),
    amount: Schema.NullOr(Schema.Finite).annotate({
      description: "Fees of the wallet's own orders, less refunds, USDC",
    }),
    raw,
    fee_fill_count: orNull.annotate({ description: "Fills with a fee" }),
    order_owner_fill_count: orNull.annotate({ description: "Fills of the wallet's own orders" }),
    first_fee_block: Schema.NullOr(Schema.String),
    last_fee_block: Schema.NullOr(Schema.String),
  }),
  maker_rebates: Received,
  rewards: Received,
  order_filled_through_block: Schema.String,
  projector_status: Schema.Literals(["live", "loading"]),
})
  .annotate({ description: "Part of no P&L; with `include_accounting_summary=true`" })
  .annotate({ identifier: "AccountingSummary" })

export const Summary = Schema.Struct({
  address,
  ...sumFields,
  ...comboFields,
  accounting_summary: Schema.optionalKey(AccountingSummary),
  ...objectFields,
}).annotate({ identifier: "WalletSummary" })

export const SummaryBatch = Schema.Struct({
  count: Schema.Int,
  wallets: Schema.Array(Schema.Struct({ wallet: address, ...sumFields })),
  ...objectFields,
}).annotate({ identifier: "WalletSummaryBatch" })

const RealizedFields = {
  realized_pnl: money("Realized gains less losses"),
  gross_profit: money("Sum of the gains"),
  gross_loss: Money.annotate({ description: "Sum of the losses, USDC; not negative" }),
  wins: integer("Realized gains"),
  losses: integer("Realized losses"),
  events: integer("Sales, merges, refunds and resolutions, also those without gain or loss"),
}

const Second = (description: string) =>
  Schema.NullOr(Schema.Int).annotate({ description: `Unix seconds: ${description}; null if open` })

const spanFields = {
  source: Schema.Literal("onchain"),
  after: Second("the first that counts"),
  before: Second("the first that no longer counts"),
}

const scopeFields = {
  scope: Schema.Literals(scopeNames).annotate({ description: "Kind of scope" }),
  value: Schema.NullOr(Schema.String).annotate({ description: "Value of the scope; null for everything" }),
}

const AllTimePnl = Schema.Struct({
  address,
  period: Schema.Literal("all"),
  ...scopeFields,
  ...sumFields,
  ...comboFields,
  ...objectFields,
}).annotate({ identifier: "AllTimePnl" })

const unrealized = (schema: typeof Schema.Finite | typeof Schema.Int, description: string) =>
  Schema.optionalKey(schema.annotate({ description: `${description}; with \`include_unrealized=true\`` }))

const WindowedPnl = Schema.Struct({
  address,
  period: Schema.Literals(["1d", "7d", "30d", "1y", "custom"]),
  ...scopeFields,
  net_realized_pnl: Money.annotate({ description: "Same as `realized_pnl`" }),
  ...RealizedFields,
  ...spanFields,
  open_positions_at_date: Schema.NullOr(Schema.Int).annotate({
    description:
      "Outcomes of known cost that were held at the end of the window and not yet resolved; null if positions do not reach back that far, if older facts were dropped, or if more than 100,000 facts would be added up",
  }),
  unrealized_pnl: unrealized(Schema.Finite, "Value of what is held now, less its cost, USDC"),
  total_pnl: unrealized(Schema.Finite, "`realized_pnl` + `unrealized_pnl`"),
  open_positions: unrealized(Schema.Int, "Outcomes held now whose market is not resolved"),
  ...comboFields,
  ...objectFields,
}).annotate({ identifier: "WindowedPnl" })

export const Pnl = Schema.Union([AllTimePnl, WindowedPnl]).annotate({ identifier: "WalletPnl" })

const Bucket = Schema.Struct({
  bucket: Schema.Int.annotate({ description: "Its first second, in Unix seconds" }),
  realized_pnl: RealizedFields.realized_pnl,
  cumulative_pnl: money("Realized from the start of the window to the end of this bucket"),
  gross_profit: RealizedFields.gross_profit,
  gross_loss: RealizedFields.gross_loss,
  wins: RealizedFields.wins,
  losses: RealizedFields.losses,
  events: RealizedFields.events,
}).annotate({ identifier: "PnlBucket" })

export const bucketColumns = Object.keys(Bucket.fields)

const ofAllTime = (schema: typeof Schema.Finite | typeof Schema.Int) =>
  Schema.optionalKey(schema.annotate({ description: "As in the wallet's summary; without a window" }))

export const BucketList = Schema.Struct({
  buckets: Schema.Array(Bucket),
  address,
  granularity: Schema.Literals(granularities),
  bucket_count: Schema.Int,
  has_more: Schema.Boolean.annotate({ description: "Whether the window has earlier buckets" }),
  total_realized_pnl: money("Of the whole window"),
  total_gross_profit: Money,
  total_gross_loss: Money,
  total_events: Schema.Int,
  total_wins: Schema.Int,
  total_losses: Schema.Int,
  total_positions: ofAllTime(Schema.Int),
  open_positions: ofAllTime(Schema.Int),
  unrealized_pnl: ofAllTime(Schema.Finite),
  total_pnl: ofAllTime(Schema.Finite),
  count_type: Schema.Literal("realized_events"),
  summary_bucket: Schema.Boolean.annotate({ description: "Whether a bucket stands for several: never" }),
  ...spanFields,
  ...objectFields,
}).annotate({ identifier: "PnlBucketList" })

const lineKinds = [
  "opening_balance",
  "carried_forward",
  "fill",
  "split",
  "merge",
  "conversion",
  "transfer",
  "redemption",
  "resolution",
  "fee_refund",
  "stock_change",
] as const

const ExplainedLine = Schema.Struct({
  id: textOrNull("Transaction hash, `_` and log index; null for what the position begins with"),
  kind: Schema.Literals(lineKinds).annotate({
    description:
      "`opening_balance`: shares from before `coverage`; `carried_forward`: the position when older facts were dropped; others: the fact",
  }),
  direction: textOrNull("`BUY` or `SELL` of a fill, `IN` or `OUT` of a transfer"),
  token_id: Schema.String,
  outcome_index: Schema.NullOr(Schema.Int),
  amount_usd: numberOrNull("Dollars of the fact: of a trade, paid out, or put in; null if it has none"),
  fee: numberOrNull("Fee of a fill, in dollars or shares as `fee_in` says; part of the cost or the proceeds"),
  fee_in: textOrNull("`usd` or `shares`"),
  counterparty: textOrNull("The other wallet of a transfer"),
  shares_change: Schema.Finite,
  cost_change: Schema.Finite,
  realized_pnl: Schema.Finite.annotate({ description: "What this fact realized" }),
  shares_before: Schema.Finite,
  shares_after: Schema.Finite,
  cost_before: Schema.Finite.annotate({ description: "Cost of the shares, USDC" }),
  cost_after: Schema.Finite,
  realized_before: Schema.Finite,
  realized_after: Schema.Finite,
  basis: Schema.Literals(["known", "unknown"]).annotate({
    description: "`unknown` once it has shares of unknown cost: its cost is then 0 and nothing is realized",
  }),
  timestamp: Schema.String.annotate({ description: "Unix seconds" }),
  block_number: Schema.NullOr(Schema.Int),
  log_index: Schema.NullOr(Schema.Int),
  transaction_hash: textOrNull("Null for what the position begins with"),
}).annotate({ identifier: "ExplainedPnlLine" })

export const lineColumns = Object.keys(ExplainedLine.fields)

export const Explained = Schema.Struct({
  lines: Schema.Array(ExplainedLine),
  address,
  positions: Schema.Array(
    Schema.Struct({
      token_id: Schema.String,
      outcome_index: Schema.NullOr(Schema.Int),
      size: Schema.Finite,
      cost: Schema.Finite,
      realized_pnl: Schema.Finite,
      basis: Schema.Literals(["known", "unknown"]),
    }),
  ).annotate({ description: "The positions now, which the last lines lead to; zeros where there is none" }),
  ...envelopeFields,
  coverage: CoverageField,
}).annotate({ identifier: "ExplainedPnl" })
