import { Schema } from "effect"
import { certainty, enrichment, event, inBlock, sampleBlock, sampleEnrichment } from "./event.ts"
import {
  Amount,
  AmountOrNull,
  Hash,
  Millis,
  maybe,
  message,
  Seconds,
  Seq,
  Side,
  sample,
  TextOrNull,
  Texts,
  TokenId,
  Wallet,
  Whole,
  WholeOrNull,
} from "./fields.ts"

const { block, condition, maker, moment, order, second, seq, taker, token, tx } = sample

const Exchange = Schema.NullOr(Schema.Literals(["ctf_exchange", "neg_risk_ctf_exchange"]))
const WalletOrNull = Schema.NullOr(Wallet)
const SideOrNull = Schema.NullOr(Side)
const Status = Schema.Literals(["pending", "confirmed", "dropped"])

export const fill = message(
  "A fill in flat form. `user` is the wallet whose order was filled.",
  {
    type: Schema.Literal("event"),
    seq: Seq,
    confirmations: certainty,
    data: Schema.Struct({
      order_hash: Schema.NullOr(Hash),
      user: WalletOrNull,
      taker: WalletOrNull,
      tx_hash: Hash,
      side: Side,
      price: Amount,
      shares: Whole.annotate({ description: "Shares, in 10⁻⁶" }),
      shares_normalized: Amount,
      token_id: TokenId,
      token_label: TextOrNull,
      condition_id: TextOrNull,
      market_slug: TextOrNull,
      title: TextOrNull,
      timestamp: Seconds,
      block_number: WholeOrNull.annotate({ description: "null while pending" }),
      log_index: WholeOrNull,
    }),
  },
  {
    type: "event",
    seq,
    data: {
      order_hash: order,
      user: maker,
      taker,
      tx_hash: tx,
      side: "BUY",
      price: 0.42,
      shares: 125_000_000,
      shares_normalized: 125,
      token_id: token,
      token_label: "Yes",
      condition_id: condition,
      market_slug: sampleEnrichment.market_slug,
      title: sampleEnrichment.market_title,
      timestamp: second,
      block_number: block,
      log_index: 17,
    },
  },
)

const amounts = { maker_amount: TextOrNull, taker_amount: TextOrNull }

const MatchedOrder = Schema.Struct({
  maker: WalletOrNull,
  signer: WalletOrNull,
  taker: WalletOrNull,
  token_id: TokenId,
  side: Side,
  price: AmountOrNull,
  size: Amount,
  ...amounts,
  outcome: TextOrNull,
  order_hash: Schema.NullOr(Hash),
})

export const settlement = event(
  "settlement",
  "A match detected before it is included in a block. `status_update` reports its final status.",
  {
    tx_hash: Hash,
    status: Status,
    detected_at: Millis,
    block_number: WholeOrNull,
    taker_wallet: WalletOrNull,
    taker_token: Schema.NullOr(TokenId),
    taker_side: SideOrNull,
    taker_price: AmountOrNull,
    taker_size: AmountOrNull,
    trades: Schema.Array(MatchedOrder),
    ...enrichment,
  },
  {
    tx_hash: tx,
    status: "pending",
    detected_at: moment,
    block_number: null,
    taker_wallet: taker,
    taker_token: token,
    taker_side: "SELL",
    taker_price: 0.42,
    taker_size: 125,
    trades: [
      {
        maker,
        signer: maker,
        taker,
        token_id: token,
        side: "BUY",
        price: 0.42,
        size: 125,
        maker_amount: "52500000",
        taker_amount: "125000000",
        outcome: "Yes",
        order_hash: order,
      },
    ],
    ...sampleEnrichment,
  },
)

const ConfirmedFill = Schema.Struct({
  order_hash: Schema.NullOr(Hash),
  maker: WalletOrNull,
  taker: WalletOrNull,
  token_id: TokenId,
  side: Side,
  price: AmountOrNull,
  size: Amount,
  ...amounts,
  fee: AmountOrNull,
})

export const statusUpdate = event(
  "status_update",
  "Final status of a settlement. A block causes 30 to 80 of these at once.",
  {
    tx_hash: Hash,
    status: Status,
    token_id: Schema.NullOr(TokenId),
    block_number: WholeOrNull,
    confirmed_at: Schema.NullOr(Millis),
    pending_detected_at: Schema.NullOr(Millis),
    latency_ms: AmountOrNull,
    taker_wallet: WalletOrNull,
    maker_wallets: Texts,
    order_hashes: Texts,
    confirmed_fills: Schema.NullOr(Schema.Array(ConfirmedFill)),
    ...enrichment,
  },
  {
    tx_hash: tx,
    status: "confirmed",
    token_id: token,
    block_number: block,
    confirmed_at: moment,
    pending_detected_at: moment - 2150,
    latency_ms: 2150,
    taker_wallet: taker,
    maker_wallets: [maker],
    order_hashes: [order],
    confirmed_fills: [
      {
        order_hash: order,
        maker,
        taker,
        token_id: token,
        side: "BUY",
        price: 0.42,
        size: 125,
        maker_amount: "52500000",
        taker_amount: "125000000",
        fee: null,
      },
    ],
  },
)

export const trade = event(
  "trade",
  "A trade in a block, identified by `(tx_hash, log_index)`.",
  {
    ...inBlock,
    exchange: Exchange,
    exchange_version: maybe(WholeOrNull),
    maker: WalletOrNull,
    taker: WalletOrNull,
    token_id: TokenId,
    side: Side,
    price: Amount,
    size: Amount,
    ...amounts,
    fee: AmountOrNull,
    order_hash: Schema.NullOr(Hash),
    ...enrichment,
  },
  {
    ...sampleBlock,
    exchange: "ctf_exchange",
    maker,
    taker,
    token_id: token,
    side: "BUY",
    price: 0.42,
    size: 125,
    maker_amount: "52500000",
    taker_amount: "125000000",
    fee: null,
    order_hash: order,
    ...sampleEnrichment,
  },
)
