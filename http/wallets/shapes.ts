import { Schema } from "effect"
import { objectFields } from "../v3/answer.ts"

const Money = Schema.Finite.annotate({ description: "USDC" })
const money = (description: string) => Schema.Finite.annotate({ description: `${description}, USDC` })
const count = (description: string) => Schema.Int.annotate({ description })

/** A row of the all-time leaderboard without its rank. */
export const sumFields = {
  net_realized_pnl: money("Realized gains less losses of all time"),
  realized_pnl: Money.annotate({ description: "Same as `net_realized_pnl`" }),
  gross_profit: money("Sum of the realized gains"),
  gross_loss: Money.annotate({ description: "Sum of the realized losses, USDC; not negative" }),
  unrealized_pnl: money("Value of open positions at the newest prices, less their cost"),
  total_pnl: Money.annotate({ description: "`net_realized_pnl` + `unrealized_pnl`" }),
  wins: count("Realized gains"),
  losses: count("Realized losses"),
  position_count: count("Outcomes ever held"),
  open_positions: count("Outcomes held now whose market is not resolved"),
  total_volume: money("Volume of all trades"),
  basis: Schema.Literals(["known", "unknown"]).annotate({
    description:
      "`unknown` if the wallet has positions with shares from before `coverage`, whose cost is unknown: their gains, losses and value are not counted",
  }),
  partial_positions: count("Positions of unknown cost"),
}

export const ComboPnl = Schema.Struct({
  position_type: Schema.Literal("combo"),
  included: Schema.Boolean.annotate({ description: "Whether the other figures contain these: always" }),
  realized_pnl: Money,
  unrealized_pnl: Money,
  total_pnl: Money,
  position_count: Schema.Int,
  open_positions: Schema.Int,
})

/** With `include_combos=true`. */
export const comboFields = {
  include_combos: Schema.optionalKey(Schema.Boolean),
  included_position_types: Schema.optionalKey(Schema.Array(Schema.Literals(["market", "combo"]))),
  combo_pnl: Schema.optionalKey(ComboPnl.annotate({ description: "The part that comes from combos" })),
}

const address = Schema.String.annotate({ description: "In lower case" })

export const Summary = Schema.Struct({ address, ...sumFields, ...comboFields, ...objectFields })

export const SummaryBatch = Schema.Struct({
  count: Schema.Int,
  wallets: Schema.Array(Schema.Struct({ wallet: address, ...sumFields })),
  ...objectFields,
})
