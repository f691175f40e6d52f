import { Schema } from "effect"
import { acknowledged } from "./control.ts"
import { Flag, Millis, maybe, message, sample, Text, TextOrNull, TokenId, Whole } from "./fields.ts"

const { condition, epoch, moment, seq, subscriber, subscription, token } = sample

const Level = Schema.Struct({ price: Text, size: Text.annotate({ description: 'Shares; "0" removes the level' }) })
const Levels = Schema.Array(Level)

/** Lets a client verify its copy of a book. */
const integrity = {
  epoch: Text.annotate({ description: "A new epoch means that the book was rebuilt" }),
  seq: Whole.annotate({ description: "Counter per token, incremented with every change" }),
  checksum: Text.annotate({
    description:
      "XOR of the CRC-32 of `bid:<price>:<size>` and `ask:<price>:<size>` over all levels, 8 hexadecimal digits",
  }),
}
const changed = {
  ...integrity,
  prev_seq: Whole.annotate({
    description: "If it is above the last seq you received, you missed changes: send `resync`",
  }),
}

const BookSnapshot = Schema.Struct({
  type: Schema.Literal("book_snapshot"),
  asset_id: TokenId,
  market: TextOrNull,
  condition_id: TextOrNull,
  event_title: TextOrNull,
  question: TextOrNull,
  outcome: TextOrNull,
  slug: TextOrNull,
  bids: Levels,
  asks: Levels,
  ...integrity,
})

const BookUpdate = Schema.Struct({
  type: Schema.Literal("book_update"),
  asset_id: TokenId,
  market: TextOrNull,
  outcome: TextOrNull,
  slug: TextOrNull,
  bids: Levels,
  asks: Levels,
  ...changed,
  gap: maybe(Flag.annotate({ description: "Earlier changes were not sent" })),
})

const BookStale = Schema.Struct({
  type: Schema.Literal("book_stale").annotate({
    description: "The book may be outdated until its next update or snapshot",
  }),
  asset_id: TokenId,
  market: TextOrNull,
  outcome: TextOrNull,
  slug: TextOrNull,
  epoch: Text,
  seq: Whole,
})

const PriceChange = Schema.Struct({
  type: Schema.Literal("price_change"),
  market: TextOrNull,
  slug: TextOrNull,
  assets: Schema.Array(
    Schema.Struct({
      asset_id: TokenId,
      outcome: TextOrNull,
      price: TextOrNull,
      size: TextOrNull,
      side: Schema.NullOr(Schema.Literals(["BUY", "SELL"])),
      best_bid: TextOrNull,
      best_ask: TextOrNull,
    }),
  ),
})

const LastTradePrice = Schema.Struct({
  type: Schema.Literal("last_trade_price"),
  asset_id: TokenId,
  market: TextOrNull,
  price: Text,
  size: Text,
  side: Schema.Literals(["BUY", "SELL"]),
  fee_rate_bps: TextOrNull,
  timestamp: Text.annotate({ description: "Unix milliseconds" }),
  outcome: TextOrNull,
  slug: TextOrNull,
  transaction_hash: TextOrNull,
})

const Coverage = Schema.Struct({
  markets: Whole.annotate({ description: "Markets whose order books the subscription covers now" }),
  open_markets: Schema.NullOr(Whole).annotate({ description: "Markets that accept orders; null if unknown" }),
  reason: Text.annotate({ description: "Which markets are covered" }),
}).annotate({ description: "What `*` covers" })

export const orderbookSubscribed = message(
  "A subscription to order books is active. Their snapshots follow in batches, then `snapshots_done`, then changes.",
  {
    ...acknowledged,
    subscription_type: Schema.Literal("orderbook"),
    markets: maybe(Whole.annotate({ description: "Number of tokens in the subscription" })),
    resolved_from: maybe(Schema.Struct({ token_ids: Whole, slugs: Whole, condition_ids: Whole })),
    firehose: maybe(Schema.Literal(true)),
    coverage: maybe(Coverage),
  },
  {
    type: "subscribed",
    subscriber_id: subscriber,
    subscription_id: subscription,
    subscription_type: "orderbook",
    epoch,
    seq,
    markets: 1,
    resolved_from: { token_ids: 1, slugs: 0, condition_ids: 0 },
    warnings: [],
  },
)

const names = { market: condition, outcome: "Yes", slug: "will-it-rain-tomorrow" }

export const snapshotBatch = message(
  "Complete books. A snapshot replaces an earlier copy of the same book.",
  {
    type: Schema.Literal("snapshot_batch"),
    subscription_id: maybe(Text),
    count: Whole,
    total_sent: Whole,
    gap: maybe(
      Flag.annotate({ description: "The client read too slowly and missed updates; these are the current books" }),
    ),
    snapshots: Schema.Array(BookSnapshot),
  },
  {
    type: "snapshot_batch",
    count: 1,
    total_sent: 1,
    snapshots: [
      {
        type: "book_snapshot",
        asset_id: token,
        ...names,
        condition_id: condition,
        event_title: "Weather tomorrow",
        question: "Will it rain tomorrow?",
        bids: [{ price: "0.41", size: "120" }],
        asks: [{ price: "0.43", size: "75.5" }],
        epoch: "7",
        seq: 120,
        checksum: "9a1f03c2",
      },
    ],
  },
)

export const snapshotsDone = message(
  "All requested books have been sent.",
  {
    type: Schema.Literal("snapshots_done"),
    subscription_id: maybe(Text),
    total: Whole,
    pending: maybe(
      Whole.annotate({ description: "Books that were still not available after five seconds; each comes once it is" }),
    ),
  },
  { type: "snapshots_done", total: 1 },
)

export const batch = message(
  "Changes of the last 250 ms: the final state of each level, and every trade.",
  {
    type: Schema.Literal("batch"),
    ts: Millis,
    count: Whole,
    updates: Schema.Array(Schema.Union([BookUpdate, PriceChange, LastTradePrice, BookStale])),
  },
  {
    type: "batch",
    ts: moment,
    count: 2,
    updates: [
      {
        type: "book_update",
        asset_id: token,
        ...names,
        bids: [{ price: "0.41", size: "0" }],
        asks: [],
        epoch: "7",
        prev_seq: 120,
        seq: 121,
        checksum: "04d2771e",
      },
      {
        type: "last_trade_price",
        asset_id: token,
        ...names,
        price: "0.41",
        size: "120",
        side: "SELL",
        fee_rate_bps: "0",
        timestamp: String(moment),
        transaction_hash: sample.tx,
      },
    ],
  },
)
