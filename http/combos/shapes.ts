import { Schema } from "effect"
import { moduleOperations } from "#src/domain/ComboKind.ts"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { BoardRow } from "../leaderboards/shapes.ts"
import { about, text, textOrNull } from "../openapi/described.ts"
import { ComboPosition } from "../positions/list/shapes.ts"
import { envelopeFields, objectFields } from "../v3/answer.ts"
import { LegField } from "./legs.ts"

const positionType = about(Schema.Literal("combo"), "combo")
const source = about(Schema.Literal("onchain"), "onchain")

const place = {
  tx_hash: Schema.String,
  log_index: Schema.Int,
  block_number: Schema.Int,
  timestamp: about(Schema.Int, "Unix seconds"),
}
const market = textOrNull("All legs with their outcomes; null while none is listed")

export const Event = Schema.Struct({
  id: text("Transaction hash, `_` and log index; of a transfer also `_` and its index within the log"),
  position_type: positionType,
  event_kind: about(
    Schema.Literals(["execution", "prepare", "redeem", "transfer", "transfer_in", "transfer_out", ...moduleOperations]),
    "What happened; `split` and `merge` are of collateral or, with `source_position_ids`, of a combo on one more leg",
  ),
  side: textOrNull("YES or NO; null if it concerns both outcomes"),
  wallet_address: textOrNull("Null for the preparation of a combo"),
  user_address: textOrNull("As `wallet_address`"),
  counterparty_address: textOrNull("The other wallet of an execution or a transfer"),
  combo_condition_id: Schema.String,
  combo_position_id: textOrNull("Token id; null if it concerns both outcomes"),
  market,
  amount_usdc: text("Dollars of an execution, a split or a merge; otherwise shares"),
  shares: text("Shares, decimal"),
  payout_usdc: textOrNull("Collateral that was paid out, or paid in (negative); null if none was moved"),
  source_position_ids: about(Schema.Array(Schema.String), "Tokens that were given up"),
  destination_position_ids: about(Schema.Array(Schema.String), "Tokens that were received"),
  ...place,
  legs: Schema.Array(LegField),
}).annotate({ identifier: "ComboEvent" })

export const Trade = Schema.Struct({
  id: text("Transaction hash, `_` and log index"),
  position_type: positionType,
  wallet_role: about(Schema.Literals(["maker", "taker"]), "taker if the wallet's order started the match"),
  wallet_address: Schema.String,
  counterparty_address: text("The exchange if the wallet's order started the match"),
  combo_condition_id: Schema.String,
  condition_id: text("As `combo_condition_id`"),
  position_id: text("Token id"),
  outcome: about(Schema.Literals(["YES", "NO"]), "Outcome of the combo"),
  market,
  side: Schema.Literals(["BUY", "SELL"]),
  price: text("Dollars per share, to six decimals"),
  size: text("Shares"),
  amount_usdc: text("Dollars"),
  fee: text("Dollars, less its refund"),
  order_hash: Schema.String,
  ...place,
}).annotate({ identifier: "ComboTrade" })

const SmallLegs = Schema.Array(LegField)

export const Redemption = Schema.Struct({
  id: text("Transaction hash, `_` and log index"),
  position_type: positionType,
  event_kind: Schema.Literals(["redeem", "compress"]),
  type: about(Schema.Literals(["REDEEM", "COMPRESS"]), "As `event_kind`"),
  side: Schema.Literals(["YES", "NO"]),
  wallet_address: Schema.String,
  redemption_scope: Schema.Literals(["full", "partial"]),
  redemption_type: about(Schema.Literals(["terminal", "reduction"]), "Whether a smaller combo is left"),
  redemption_evidence: about(Schema.Literals(["PositionRedeemed", "Compressed"]), "The log it is from"),
  is_full_combo_redemption: Schema.Boolean,
  is_partial_combo_redemption: Schema.Boolean,
  is_terminal_redemption: Schema.Boolean,
  is_partial_combo_reduction: Schema.Boolean,
  has_collateral_payout: Schema.Boolean,
  combo_condition_id: Schema.String,
  combo_position_id: Schema.String,
  full_combo_condition_id: text("As `combo_condition_id`"),
  reduced_combo_condition_id: textOrNull("The combo that remains; null if none does"),
  source_position_id: text("As `combo_position_id`"),
  destination_position_id: textOrNull("Token id of the combo that remains"),
  market,
  amount_usdc: text("Shares that were given up"),
  position_amount_usdc: text("As `amount_usdc`"),
  payout_usdc: text("Dollars that were paid"),
  collateral_out_usdc: text("As `payout_usdc`"),
  source_leg_count: Schema.Int,
  removed_leg_count: Schema.Int,
  remaining_leg_count: Schema.Int,
  leg_transition: text("`source_leg_count` and `remaining_leg_count`, such as 3->2"),
  legs: SmallLegs,
  full_legs: SmallLegs,
  source_legs: SmallLegs,
  removed_legs: SmallLegs,
  remaining_legs: SmallLegs,
  remaining_combo: Schema.NullOr(
    Schema.Struct({
      combo_condition_id: Schema.String,
      combo_position_id: Schema.String,
      shares_created: Schema.String,
      current_wallet_balance: Schema.String,
      still_held: Schema.Boolean,
      status: Schema.Literals(["open", "resolved"]),
    }),
  ),
  metadata_coverage: about(
    Schema.Literals(["full", "partial", "none"]),
    "Whether the markets of all legs, of some or of none are listed",
  ),
  ...place,
}).annotate({ identifier: "ComboRedemption" })

export const Market = Schema.Struct({
  combo_condition_id: Schema.String,
  yes_position_id: Schema.String,
  no_position_id: Schema.String,
  module_name: Schema.Literal("combinatorial"),
  market,
  status: Schema.Literals(["open", "resolved"]),
  winning_outcome: about(
    Schema.NullOr(Schema.Literals(["YES", "NO"])),
    "Null while it is open, and if both outcomes are paid",
  ),
  observed_execution_count: about(Schema.Int, "Matches"),
  observed_lifecycle_count: about(Schema.Int, "Everything else but transfers, the preparation included"),
  observed_redeem_count: about(Schema.Int, "Redemptions"),
  observed_transfer_count: about(Schema.Int, "Transfers"),
  volume_usdc: text("Dollars of all trades of both outcomes, as in the volumes of tokens"),
  created_at: text("Preparation, Unix seconds"),
  last_activity_at: text("Unix seconds"),
  resolved_at: textOrNull("Unix seconds; null while it is open"),
  legs_total: Schema.Int,
  legs: Schema.Array(LegField),
}).annotate({ identifier: "ComboMarket" })

export const Position = Schema.Struct({
  ...ComboPosition.fields,
  wallet_address: Schema.String,
  legs: Schema.Array(LegField),
}).annotate({ identifier: "WalletComboPosition" })

const list = { ...envelopeFields, coverage: CoverageField, position_type: positionType, source }
const ofWallet = { address: Schema.String, ...list }

export const EventList = Schema.Struct({ activity: Schema.Array(Event), ...list }).annotate({
  identifier: "ComboEventList",
})
export const WalletEventList = Schema.Struct({ activity: Schema.Array(Event), ...ofWallet }).annotate({
  identifier: "WalletComboEventList",
})
export const WalletTradeList = Schema.Struct({ trades: Schema.Array(Trade), ...ofWallet }).annotate({
  identifier: "WalletComboTradeList",
})
export const RedemptionList = Schema.Struct({ redemptions: Schema.Array(Redemption), ...list }).annotate({
  identifier: "ComboRedemptionList",
})
export const WalletRedemptionList = Schema.Struct({ redemptions: Schema.Array(Redemption), ...ofWallet }).annotate({
  identifier: "WalletComboRedemptionList",
})
export const MarketList = Schema.Struct({ markets: Schema.Array(Market), ...list }).annotate({
  identifier: "ComboMarketList",
})
export const WalletPositionList = Schema.Struct({ positions: Schema.Array(Position), ...ofWallet }).annotate({
  identifier: "WalletComboPositionList",
})

const Summary = Schema.Struct({
  position_type: positionType,
  wallet_address: Schema.String,
  open_combo_count: about(Schema.Int, "Positions in combos that are not resolved"),
  closed_combo_count: about(Schema.Int, "All others that it ever had"),
  balance_count: about(Schema.Int, "Tokens of combos that it holds now, resolved ones too"),
  realized_pnl_usdc: Schema.String,
  unrealized_pnl_usdc: Schema.String,
  total_pnl_usdc: Schema.String,
  volume_usdc: Schema.String,
  wins: Schema.Int,
  losses: Schema.Int,
  last_activity_at: textOrNull("Unix seconds; null if it never did anything with a combo"),
}).annotate({ identifier: "ComboSummary" })
export const WalletSummary = Schema.Struct({
  address: Schema.String,
  summary: Summary,
  rows_returned: Schema.Int,
  position_type: positionType,
  source,
  ...objectFields,
}).annotate({ identifier: "WalletComboSummary" })

export const ComboBoard = Schema.Struct({
  leaderboard: Schema.Array(BoardRow),
  rows_returned: Schema.Int,
  has_more: Schema.Boolean,
  offset: Schema.Int,
  limit: Schema.Int,
  elapsed_ms: Schema.Int,
  period: Schema.Literals(["1d", "7d", "30d", "all"]),
  sort: Schema.String,
  coverage: CoverageField,
  as_of: about(Schema.Int, "Unix seconds; includes everything up to this time and nothing after it"),
  position_type: positionType,
  source,
}).annotate({ identifier: "ComboBoard" })
