import { Schema } from "effect"
import { boardPeriods, boardSorts } from "#src/builders/model.ts"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { integerOrNull, number, text, textOrNull } from "../openapi/described.ts"
import { Trade } from "../trades/list/shapes.ts"
import { envelopeFields, objectFields } from "../v3/answer.ts"

const identity = {
  builder: text("The builder's code: 0x and 64 hexadecimal digits"),
  builder_code: text("The same as `builder`"),
  builder_name: textOrNull("Public name; null while the venue lists none"),
  builder_logo: textOrNull("URL of a picture"),
  builder_verified: Schema.NullOr(Schema.Boolean).annotate({ description: "Null while the venue does not list it" }),
}

/** An amount as an integer and as a decimal, under the three names that clients know. */
const amounts = <const Name extends string>(name: Name, what: string) =>
  ({
    [`${name}_e6`]: text(`${what}, as an integer of 10^-6 dollars`),
    [name]: text(`${what}, in dollars as a decimal`),
    [`${name}_usdc`]: text(`The same as \`${name}\``),
  }) as { readonly [K in `${Name}_e6` | Name | `${Name}_usdc`]: typeof Schema.String }

const figures = {
  fill_count: Schema.Int.annotate({ description: "Fills of orders that carried the code" }),
  users: Schema.Int.annotate({ description: "Wallets whose orders were filled" }),
  ...amounts("volume", "Dollars of these fills"),
  ...amounts("buy_volume", "Of orders that bought"),
  ...amounts("sell_volume", "Of orders that sold"),
  total_maker_volume: text("Of orders that were filled by others, in dollars"),
  total_maker_volume_usdc: text("The same as `total_maker_volume`"),
  total_taker_volume: text("Of orders that started the match, in dollars"),
  total_taker_volume_usdc: text("The same as `total_taker_volume`"),
  total_fees: text("Fees of these orders less refunds, in dollars"),
  total_fees_usdc: text("The same as `total_fees`"),
}

const span = {
  first_fill: textOrNull("Unix seconds; null without fills"),
  last_fill: textOrNull("Unix seconds; null without fills"),
}

const venue = {
  external_rank: integerOrNull("The venue's own rank of all time; null while it lists none, as are the next two"),
  external_volume: textOrNull("Shares of all time by the venue's own count"),
  external_active_users: integerOrNull("Users of all time by the venue's own count"),
  stats_refreshed_at: textOrNull("When the venue's figures last changed, ISO 8601"),
  stats_checked_at: textOrNull("When the venue's figures were last read, ISO 8601"),
  stats_pending: Schema.Boolean.annotate({ description: "True while the venue's figures were never read" }),
}

const semantics = {
  source: Schema.Literal("onchain"),
  volume_scope: Schema.Literal("routed_orders"),
  volume_semantics: Schema.String,
}

export const BuilderRow = Schema.Struct({
  rank: Schema.Int.annotate({ description: "By volume, from 1" }),
  ...identity,
  ...figures,
  ...span,
  ...venue,
  ...semantics,
}).annotate({ identifier: "Builder" })

export const BuilderList = Schema.Struct({
  builders: Schema.Array(BuilderRow),
  total_volume: text("Of all builders together, in dollars"),
  total_volume_e6: text("The same as an integer of 10^-6 dollars"),
  total_users: Schema.Int.annotate({ description: "Wallets that used any builder" }),
  unattributed_volume: text("Of orders without a builder, in dollars"),
  unattributed_volume_e6: text("The same as an integer of 10^-6 dollars"),
  ...envelopeFields,
  coverage: CoverageField,
}).annotate({ identifier: "BuilderList" })

export const BuilderDetail = Schema.Struct({
  ...identity,
  ...figures,
  ...span,
  ...venue,
  stats_source: textOrNull("Where the `external_` figures come from"),
  ...semantics,
  fee_semantics: Schema.String,
  ...objectFields,
}).annotate({ identifier: "BuilderDetail" })

export const BuilderTrade = Schema.Struct({
  ...Trade.fields,
  builder_code: identity.builder_code,
  builder_name: identity.builder_name,
  builder_logo: identity.builder_logo,
  builder_verified: identity.builder_verified,
}).annotate({ identifier: "BuilderTrade" })

export const BuilderTradeList = Schema.Struct({
  ...identity,
  trades: Schema.Array(BuilderTrade),
  ...envelopeFields,
  coverage: CoverageField,
}).annotate({ identifier: "BuilderTradeList" })

const day = {
  date: text("Day of UTC, YYYY-MM-DD"),
  timestamp: text("Its first second, Unix seconds"),
}

export const ActivityDay = Schema.Struct({ ...day, ...figures, ...span }).annotate({ identifier: "BuilderActivityDay" })
export const RoutedDay = Schema.Struct({
  ...day,
  active_builders: Schema.Int.annotate({ description: "Builders with a fill" }),
  ...figures,
  ...span,
  ...amounts("unattributed_volume", "Of orders without a builder"),
  ...amounts("total_volume", "Of all orders: `volume` and `unattributed_volume`"),
}).annotate({ identifier: "RoutedDay" })

const days = { ...envelopeFields, coverage: CoverageField }
export const BuilderActivity = Schema.Struct({ ...identity, activity: Schema.Array(ActivityDay), ...days }).annotate({
  identifier: "BuilderActivity",
})
export const RoutedActivity = Schema.Struct({ activity: Schema.Array(RoutedDay), ...days }).annotate({
  identifier: "RoutedActivity",
})

const pnl = (description: string) =>
  Schema.NullOr(Schema.Finite).annotate({
    description: `${description}; null while it is unknown, as are the other results`,
  })

export const BoardRow = Schema.Struct({
  rank: Schema.Int.annotate({ description: "From 1" }),
  wallet: Schema.String,
  volume: number("Dollars of its fills through the builder in the period"),
  fees: number("Fees of these orders less refunds, in dollars"),
  fill_count: Schema.Int.annotate({ description: "Fills through the builder in the period" }),
  first_fill: text("Its first fill through the builder of all time, Unix seconds"),
  last_fill: text("Its last fill through the builder, Unix seconds"),
  realized_pnl: pnl("Realized in the period, in all markets and through whatever builder, USDC"),
  gross_profit: pnl("Sum of the gains among them"),
  gross_loss: pnl("Sum of the losses among them, not negative"),
  unrealized_pnl: pnl("Of what it holds, independent of the period"),
  total_pnl: pnl("`realized_pnl` + `unrealized_pnl`"),
  wins: integerOrNull("Gains in the period"),
  losses: integerOrNull("Losses in the period"),
  position_count: integerOrNull("Outcomes ever held"),
  open_positions: integerOrNull("Outcomes held now whose market is not resolved"),
}).annotate({ identifier: "BuilderBoardRow" })

export const Board = Schema.Struct({
  ...identity,
  leaderboard: Schema.Array(BoardRow),
  period: Schema.Literals(boardPeriods),
  sort: Schema.Literals(boardSorts),
  rows_returned: Schema.Int,
  has_more: Schema.Boolean,
  offset: Schema.Int,
  limit: Schema.Int,
  next_cursor: Schema.NullOr(Schema.String).annotate({
    description: "With `pagination=cursor`: `cursor` of the next page; null at the end",
  }),
  as_of: Schema.Int.annotate({ description: "Unix seconds; fills up to this time are counted, and none after it" }),
  pnl_as_of: integerOrNull("Unix seconds; the results are of this time. Null while there are none"),
  coverage: CoverageField,
  elapsed_ms: Schema.Int,
}).annotate({ identifier: "BuilderBoard" })

/** Several builders have the name. */
export class SharedBuilderName extends Schema.Error<SharedBuilderName>("SharedBuilderName")(
  { error: Schema.String, hint: Schema.String, codes: Schema.Array(Schema.String) },
  { httpApiStatus: 409, description: "Several builders have this name; `codes` are theirs" },
) {}
