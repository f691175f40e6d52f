import { Schema } from "effect"
import { mostFollowed, periods } from "#src/copy-pnl/model.ts"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { about, integer } from "../openapi/described.ts"

const usdc = (description: string) => about(Schema.Finite, `${description}, in USDC`)
const Wallet = about(Schema.String, "wallet address, in lower case")
const seconds = (description: string) => about(Schema.Int, `${description}, Unix seconds`)
const lastRefresh = about(Schema.NullOr(Schema.Int), "time of the newest of these scores, Unix seconds")

export const Addresses = Schema.Struct({
  addresses: about(
    Schema.Array(Schema.String),
    `wallet addresses, 0x and 40 hexadecimal digits, case-insensitive; at most ${mostFollowed}, duplicates count once`,
  ),
}).annotate({ identifier: "WalletAddresses" })

const scoreFields = {
  actual_pnl_usdc: usdc(
    "cash received less cash spent: sales, redemptions, merges and conversion payouts, less buys and splits; at price × shares, without fees",
  ),
  backtest_copy_pnl_usdc: usdc(
    "the same for a copier who buys 2 % higher, but never above 1.00 per share, and sells 2 % lower",
  ),
  slippage_amount_usdc: usdc("cost of copying: the difference between the two"),
  slippage_cost_rate_pct: about(
    Schema.NullOr(Schema.Finite),
    "cost of copying in percent of the wallet's own P&L; null if that is less than 1 USDC",
  ),
  toxic_for_copying: about(Schema.Boolean, "whether the rate is above 15"),
  trade_count: integer("fills in the window"),
  partial: about(
    Schema.Boolean,
    "true if the score covers only the newest part of its window: the time limit was reached, or the ledger does not reach back that far",
  ),
  computed_at: seconds("time of this score, which is the end of its window"),
}
const Score = Schema.Struct(scoreFields).annotate({ identifier: "CopyScore" })

const failure = {
  error: about(Schema.String, "the reason, for example timeout_180s"),
  ts: seconds("time of the failure"),
}

export const Added = Schema.Struct({
  added: integer("wallets newly added to the pool"),
  already_tracked: integer("wallets that were already in the pool"),
  total: integer("wallets in the pool now"),
  max: integer("maximum wallets of a pool"),
  capped: about(Schema.Boolean, "whether the pool became full; the first wallets that fit were added"),
  refresh_kicked: about(Schema.Boolean, "whether scoring has started; it takes about 30 seconds"),
  hint: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "CopyWalletsAdded" })

export const Removed = Schema.Struct({
  removed: integer("wallets removed from the pool"),
  total: integer("wallets in the pool now"),
  max: integer("maximum wallets of a pool"),
}).annotate({ identifier: "CopyWalletsRemoved" })

export const Pool = Schema.Struct({
  wallets: about(Schema.Array(Wallet), "ordered by address"),
  count: integer("wallets in the pool"),
  max: integer("maximum wallets of a pool"),
}).annotate({ identifier: "CopyWalletPool" })

export const Snapshot = Schema.Struct({
  coverage: CoverageField,
  total_in_pool: integer("wallets in the pool"),
  scored_any: integer("wallets with a score for at least one of the periods"),
  errored_any: integer("wallets whose last refresh failed; their earlier scores are kept"),
  pending_any: integer("wallets with neither"),
  periods: Schema.Array(Schema.Literals(periods)),
  last_refresh: lastRefresh,
  wallets: Schema.Array(
    Schema.Struct({
      wallet: Wallet,
      periods: about(
        Schema.Record(Schema.String, Schema.NullOr(Score)),
        "a score for each period, null if there is none yet",
      ),
      error: Schema.optionalKey(about(Schema.Struct(failure), "the most recent failure, until the next success")),
    }),
  ),
}).annotate({ identifier: "CopySnapshot" })

export const Leaderboard = Schema.Struct({
  period: Schema.String,
  sort_by: Schema.String,
  order: Schema.String,
  coverage: CoverageField,
  filters: Schema.Struct({ min_trade_count: Schema.Int, exclude_toxic: Schema.Boolean }),
  total_in_pool: integer("wallets in the pool"),
  scored: integer("wallets with a score for the period"),
  filtered_in: integer("scored wallets that pass the filters"),
  pending: integer("wallets not scored yet"),
  errored: integer("wallets whose last refresh failed"),
  offset: Schema.Int,
  limit: Schema.Int,
  last_refresh: lastRefresh,
  results: Schema.Array(
    Schema.Struct({
      local_rank: integer("rank in the pool, from 1; the first on a page has offset + 1"),
      wallet: Wallet,
      ...scoreFields,
    }),
  ),
  errored_sample: Schema.optionalKey(
    about(
      Schema.Array(Schema.Struct({ wallet: Wallet, ...failure })),
      "up to 10 of the errored wallets, if there are any",
    ),
  ),
  pending_sample: Schema.optionalKey(about(Schema.Array(Wallet), "up to 10 of the pending wallets, if there are any")),
}).annotate({ identifier: "CopyLeaderboard" })

/** Maximum trades in an answer about one wallet, and per wallet in a batch. */
export const maxTrades = 1_000
export const maxTradesEach = 100
export const maxInBatch = 100

const Trade = Schema.Struct({
  tx_hash: Schema.String,
  order_hash: Schema.String,
  timestamp: seconds("time of the block"),
  token_id: Schema.String,
  direction: Schema.Literals(["BUY", "SELL"]),
  price: about(Schema.Finite, "USDC per share, 4 decimals"),
  shares: Schema.Finite,
  usd: Schema.Finite,
}).annotate({ identifier: "CopyTrade" })

const reportFields = {
  wallet: Wallet,
  coverage: CoverageField,
  ...scoreFields,
  computed_at: seconds("time of the computation, independent of the window"),
  total_realized_pnl_usdc: about(
    Schema.NullOr(Schema.Finite),
    "gains less losses realized within the window, by average cost and with fees, as in all other endpoints; in USDC. Null, like the three fields below, if the time limit was reached",
  ),
  positions_closed: about(
    Schema.NullOr(Schema.Int),
    "positions with a realized gain or loss within the window that hold no more shares, or whose market was resolved within it",
  ),
  avg_entry_prob_weighted: about(
    Schema.NullOr(Schema.Finite),
    "average price of the shares bought within the window; null if none were bought",
  ),
  avg_hold_seconds_weighted: about(
    Schema.NullOr(Schema.Finite),
    "for tokens both bought and sold or redeemed within the window: time from the average purchase to the average sale, weighted by the shares sold; null if there are none",
  ),
  pnl_definition: Schema.Literal("cashflow"),
  applied_filters: Schema.Struct({
    from: seconds("first second of the window"),
    to: seconds("last second of the window"),
    window_days: about(Schema.Finite, "length of the window, in days"),
  }),
  sources: about(
    Schema.Struct({
      fills: Schema.Int,
      splits: Schema.Int,
      merges: Schema.Int,
      redemptions: Schema.Int,
      conversions: Schema.Int,
    }),
    "number of counted events, by kind",
  ),
  depth: Schema.optionalKey(
    about(
      Schema.NullOr(
        Schema.Struct({
          fills_from_book: integer("fills that the copier made at a recorded order book"),
          fills_flat: integer("all other fills, which cost the copier 2 %"),
          fills_too_thin: integer("those of them whose recorded book had too few shares"),
          flat_backtest_copy_pnl_usdc: usdc("`backtest_copy_pnl_usdc` if all fills cost 2 %"),
        }),
      ),
      "if requested; null if the time limit was reached before",
    ),
  ),
  trades: Schema.optionalKey(about(Schema.Array(Trade), "newest trades of the window, if requested")),
}
export const Report = Schema.Struct(reportFields).annotate({ identifier: "CopyReport" })

const moment = (description: string) => Schema.optionalKey(about(Schema.Int, description))
export const BatchRequest = Schema.Struct({
  addresses: about(Schema.Array(Schema.String), `wallet addresses, at most ${maxInBatch}; duplicates count once`),
  from: moment("start of the window, in Unix seconds; 30 days before its end by default"),
  to: moment("end of the window, in Unix seconds; now by default"),
  include_trades: Schema.optionalKey(
    about(Schema.Boolean, `true adds the newest trades of each wallet, up to ${maxTradesEach}`),
  ),
}).annotate({ identifier: "CopyBatchRequest" })

export const Batch = Schema.Struct({
  count: integer("requested wallets"),
  scored: integer("wallets with a score"),
  wallets: Schema.Array(
    Schema.Union([
      Report,
      Schema.Struct({ wallet: Wallet, error: about(Schema.String, "why there is no score, for example timeout_30s") }),
    ]),
  ),
}).annotate({ identifier: "CopyBatch" })
