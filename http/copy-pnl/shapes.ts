import { Schema } from "effect"
import { mostFollowed, periods } from "#src/copy-pnl/model.ts"

const about = <S extends Schema.Top>(schema: S, description: string) => schema.annotate({ description })
export const count = (description: string) => about(Schema.Int, description)
export const usdc = (description: string) => about(Schema.Finite, `${description}, in USDC`)
const Wallet = about(Schema.String, "the address, in lower case")
const seconds = (description: string) => about(Schema.Int, `${description}, Unix seconds`)
const lastRefresh = about(Schema.NullOr(Schema.Int), "when the newest of these scores was made, Unix seconds")

export const Addresses = Schema.Struct({
  addresses: about(
    Schema.Array(Schema.String),
    `wallet addresses, 0x and 40 hexadecimal digits in any case; at most ${mostFollowed}, equal ones count once`,
  ),
})

const scoreFields = {
  actual_pnl_usdc: usdc(
    "cash that came less cash that went: sales, redemptions, merges and what conversions paid, less buys and splits; at price × shares, without fees",
  ),
  backtest_copy_pnl_usdc: usdc(
    "the same for a copier who buys 2 % dearer, but never above 1.00 a share, and sells 2 % cheaper",
  ),
  slippage_amount_usdc: usdc("what copying costs: the difference of the two"),
  slippage_cost_rate_pct: about(
    Schema.NullOr(Schema.Finite),
    "that in percent of the wallet's own P&L; null where that is less than 1 USDC",
  ),
  toxic_for_copying: about(Schema.Boolean, "whether the rate is above 15"),
  trade_count: count("fills in the window"),
  partial: about(
    Schema.Boolean,
    "true when time was over before the whole window was looked at; then the newest part counts",
  ),
  computed_at: seconds("the end of the window and the time of this score"),
}
export const Score = Schema.Struct(scoreFields)

const failure = { error: about(Schema.String, "why, such as timeout_180s"), ts: seconds("when") }

export const Added = Schema.Struct({
  added: count("now in the pool and not before"),
  already_tracked: count("in the pool before"),
  total: count("in the pool now"),
  max: count("the most that a pool takes"),
  capped: about(Schema.Boolean, "whether some had no room; the first that fit were taken"),
  refresh_kicked: about(Schema.Boolean, "whether scores are being made; that takes about 30 seconds"),
  hint: Schema.optionalKey(Schema.String),
})

export const Removed = Schema.Struct({
  removed: count("no longer in the pool"),
  total: count("in the pool now"),
  max: count("the most that a pool takes"),
})

export const Pool = Schema.Struct({
  wallets: about(Schema.Array(Wallet), "in the order of their addresses"),
  count: count("in the pool"),
  max: count("the most that a pool takes"),
})

export const Snapshot = Schema.Struct({
  total_in_pool: count("wallets in the pool"),
  scored_any: count("of these, with a score for at least one of the periods"),
  errored_any: count("of these, whose last refresh failed; their earlier scores are kept"),
  pending_any: count("of these, with neither"),
  periods: Schema.Array(Schema.Literals(periods)),
  last_refresh: lastRefresh,
  wallets: Schema.Array(
    Schema.Struct({
      wallet: Wallet,
      periods: about(
        Schema.Record(Schema.String, Schema.NullOr(Score)),
        "a score for each period, null where there is none yet",
      ),
      error: Schema.optionalKey(about(Schema.Struct(failure), "the most recent failure, until the next success")),
    }),
  ),
})

export const Leaderboard = Schema.Struct({
  period: Schema.String,
  sort_by: Schema.String,
  order: Schema.String,
  filters: Schema.Struct({ min_trade_count: Schema.Int, exclude_toxic: Schema.Boolean }),
  total_in_pool: count("wallets in the pool"),
  scored: count("of these, with a score for the period"),
  filtered_in: count("of the scored ones, those that pass the filters"),
  pending: count("not scored yet"),
  errored: count("whose last refresh failed"),
  offset: Schema.Int,
  limit: Schema.Int,
  last_refresh: lastRefresh,
  results: Schema.Array(
    Schema.Struct({
      local_rank: count("1 for the first of the pool; the first of a page has offset + 1"),
      wallet: Wallet,
      ...scoreFields,
    }),
  ),
  errored_sample: Schema.optionalKey(
    about(
      Schema.Array(Schema.Struct({ wallet: Wallet, ...failure })),
      "up to 10 of the errored ones, where there are any",
    ),
  ),
  pending_sample: Schema.optionalKey(about(Schema.Array(Wallet), "up to 10 of the pending ones, where there are any")),
})

/** Trades that are shown at most, of a wallet alone and of each of several. */
export const mostTrades = 1_000
export const mostTradesEach = 100
export const mostInBatch = 100

const Trade = Schema.Struct({
  tx_hash: Schema.String,
  order_hash: Schema.String,
  timestamp: seconds("of the block"),
  token_id: Schema.String,
  direction: Schema.Literals(["BUY", "SELL"]),
  price: about(Schema.Finite, "USDC a share, 4 decimals"),
  shares: Schema.Finite,
  usd: Schema.Finite,
})

const reportFields = {
  wallet: Wallet,
  ...scoreFields,
  computed_at: seconds("when it was worked out, whenever the window ended"),
  total_realized_pnl_usdc: about(
    Schema.NullOr(Schema.Finite),
    "gains less losses that were realized within the window, by average cost and with fees, as everywhere else; in USDC. Null, as the three that follow, where time was over",
  ),
  positions_closed: about(
    Schema.NullOr(Schema.Int),
    "positions that realized something within the window and hold nothing any more, or whose market was resolved within it",
  ),
  avg_entry_prob_weighted: about(
    Schema.NullOr(Schema.Finite),
    "average price of the shares bought within the window; null where none were",
  ),
  avg_hold_seconds_weighted: about(
    Schema.NullOr(Schema.Finite),
    "of tokens both bought and sold or redeemed within the window: from the average time of buying to that of parting, weighted by the shares that left; null where there are none",
  ),
  pnl_definition: Schema.Literal("cashflow"),
  applied_filters: Schema.Struct({
    from: seconds("the first second that counts"),
    to: seconds("the last second that counts"),
    window_days: about(Schema.Finite, "how long that is, in days"),
  }),
  sources: about(
    Schema.Struct({
      fills: Schema.Int,
      splits: Schema.Int,
      merges: Schema.Int,
      redemptions: Schema.Int,
      conversions: Schema.Int,
    }),
    "facts that were counted, by kind",
  ),
  trades: Schema.optionalKey(about(Schema.Array(Trade), "the newest of the window, where they are asked for")),
}
export const Report = Schema.Struct(reportFields)

const moment = (description: string) => Schema.optionalKey(about(Schema.Int, description))
export const BatchAsked = Schema.Struct({
  addresses: about(Schema.Array(Schema.String), `wallet addresses, at most ${mostInBatch}; equal ones count once`),
  from: moment("where the window begins, in Unix seconds; 30 days before its end when left out"),
  to: moment("where the window ends, in Unix seconds; now when left out"),
  include_trades: Schema.optionalKey(
    about(Schema.Boolean, `true adds the newest trades of each, up to ${mostTradesEach}`),
  ),
})

export const Batch = Schema.Struct({
  count: count("wallets that were asked for"),
  scored: count("of these, with a score"),
  wallets: Schema.Array(
    Schema.Union([
      Report,
      Schema.Struct({ wallet: Wallet, error: about(Schema.String, "why there is no score, such as timeout_30s") }),
    ]),
  ),
})
