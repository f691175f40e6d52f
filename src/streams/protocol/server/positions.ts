import { Schema } from "effect"
import { enrichment, event, inBlock, sampleBlock } from "./event.ts"
import {
  Amount,
  AmountOrNull,
  Hash,
  maybe,
  Seconds,
  Seq,
  sample,
  TextOrNull,
  TokenId,
  Wallet,
  Whole,
  WholeOrNull,
} from "./fields.ts"

const { block, condition, hash, maker, second, taker, token } = sample

const collateral = `0x${"27".repeat(20)}`
const WalletOrNull = Schema.NullOr(Wallet)
const Numbers = Schema.Array(Schema.Finite)

const splitOrMerge = {
  ...inBlock,
  ...enrichment,
  stakeholder: WalletOrNull,
  collateral_token: TextOrNull,
  condition_id: TextOrNull,
  amount: Amount,
}
const sampleSplit = {
  ...sampleBlock,
  stakeholder: maker,
  collateral_token: collateral,
  condition_id: condition,
  amount: 50,
}

export const positionSplit = event(
  "position_split",
  "Collateral was split into one share of each outcome.",
  splitOrMerge,
  sampleSplit,
)
export const positionMerge = event(
  "position_merge",
  "One share of each outcome was merged into collateral.",
  splitOrMerge,
  sampleSplit,
)

export const positionsConverted = event(
  "positions_converted",
  "NO shares of some outcomes of a neg-risk event were converted to YES shares of the others.",
  {
    ...inBlock,
    ...enrichment,
    stakeholder: WalletOrNull,
    market_id: TextOrNull,
    index_set: TextOrNull.annotate({
      description: "Hexadecimal; one bit for each question whose NO shares were converted",
    }),
    amount: Amount,
    converted_outcomes: Schema.Array(Schema.Struct({ token_id: TokenId, condition_id: TextOrNull, title: TextOrNull })),
  },
  {
    ...sampleBlock,
    stakeholder: maker,
    market_id: hash,
    index_set: "0x3",
    amount: 20,
    converted_outcomes: [{ token_id: token, condition_id: condition, title: "Will North win?" }],
  },
)

export const positionChange = event(
  "position_change",
  "Shares were transferred between wallets.",
  {
    ...inBlock,
    ...enrichment,
    from: WalletOrNull,
    to: WalletOrNull,
    token_id: TokenId,
    amount: Amount,
    transfer_type: Schema.Literals(["single", "batch"]),
  },
  { ...sampleBlock, from: maker, to: taker, token_id: token, amount: 12.5, transfer_type: "single" },
)

export const redemption = event(
  "redemption",
  "Shares of a resolved market were redeemed.",
  {
    ...inBlock,
    ...enrichment,
    redeemer: WalletOrNull,
    collateral_token: TextOrNull,
    condition_id: TextOrNull,
    index_sets: Schema.Array(Whole),
    payout: Amount,
    payout_e6: Whole,
    source: maybe(TextOrNull),
    payouts: Schema.NullOr(Numbers),
    outcome_prices: Schema.NullOr(Numbers),
    winning_outcome_index: WholeOrNull,
    winning_outcome: TextOrNull,
    winning_token_id: Schema.NullOr(TokenId),
  },
  {
    ...sampleBlock,
    redeemer: maker,
    collateral_token: collateral,
    condition_id: condition,
    index_sets: [1, 2],
    payout: 125,
    payout_e6: 125_000_000,
    payouts: [1, 0],
    outcome_prices: [1, 0],
    winning_outcome_index: 0,
    winning_outcome: "Yes",
    winning_token_id: token,
  },
)

export const deposit = event(
  "deposit",
  "Collateral entered or left the venue.",
  {
    ...inBlock,
    from: WalletOrNull,
    to: WalletOrNull,
    amount: Amount,
    direction: Schema.Literals(["deposit", "withdrawal"]),
  },
  { ...sampleBlock, from: taker, to: maker, amount: 500, direction: "deposit" },
)

export const blockEvent = event(
  "block",
  "A block of the chain, sent after all its events.",
  {
    block_number: Whole,
    block_hash: Hash,
    parent_hash: Hash,
    timestamp: Seconds,
    tx_count: WholeOrNull,
    polymarket_tx_count: Whole,
    settlement_count: Whole,
    trade_volume_usd: Amount,
  },
  {
    block_number: block,
    block_hash: hash,
    parent_hash: sample.tx,
    timestamp: second,
    tx_count: 84,
    polymarket_tx_count: 31,
    settlement_count: 28,
    trade_volume_usd: 1834.22,
  },
)

export const reorg = event(
  "reorg",
  "The chain reorganised: all events after `fork_block` are retracted, and their replacements follow.",
  {
    fork_block: Whole.annotate({ description: "Last block that is still canonical" }),
    fork_hash: Schema.NullOr(Hash),
    retracted: Schema.Array(Seq).annotate({ description: "Sequence numbers of retracted events" }),
  },
  { fork_block: block - 3, fork_hash: hash, retracted: [sample.seq - 4, sample.seq - 3] },
)

export const oracle = event(
  "oracle",
  "A step in the resolution of a market.",
  {
    ...inBlock,
    ...enrichment,
    oracle_type: Schema.Literals([
      "initialization",
      "proposal",
      "dispute",
      "settled",
      "resolution",
      "reset",
      "flag",
      "manual_resolution",
      "condition_resolution",
    ]),
    question_id: TextOrNull,
    adapter_address: TextOrNull,
    proposer: maybe(WalletOrNull),
    disputer: maybe(WalletOrNull),
    proposed_price: maybe(AmountOrNull),
    expiration_timestamp: maybe(AmountOrNull),
    resolved_price: maybe(AmountOrNull),
    resolved_outcome: maybe(TextOrNull),
    payouts: Schema.NullOr(Numbers),
  },
  {
    ...sampleBlock,
    oracle_type: "condition_resolution",
    question_id: hash,
    adapter_address: taker,
    condition_id: condition,
    resolved_price: 1,
    resolved_outcome: "Yes",
    payouts: [1, 0],
  },
)
