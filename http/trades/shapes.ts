import { Schema } from "effect"

const Trade = Schema.Struct({
  tx_hash: Schema.String,
  order_hash: Schema.String,
  timestamp: Schema.Int.annotate({ description: "Unix seconds" }),
  maker: Schema.String.annotate({ description: "The wallet itself" }),
  taker: Schema.String.annotate({ description: "The other side; the exchange where the wallet took others' orders" }),
  token_id: Schema.String,
  direction: Schema.Literals(["BUY", "SELL"]).annotate({ description: "What the wallet did" }),
  price: Schema.Finite.annotate({ description: "USDC per share, to four decimals" }),
  shares: Schema.Finite,
  usd: Schema.Finite.annotate({ description: "What the shares cost, without the fee" }),
  fee: Schema.Finite.annotate({
    description: "The wallet's fee in USDC; one that was taken in shares at the price of the trade",
  }),
})

/** All trades of a wallet. */
export const WalletTrades = Schema.Struct({
  wallet: Schema.String,
  from_ts: Schema.Int.annotate({ description: "Unix seconds" }),
  to_ts: Schema.Int.annotate({ description: "Unix seconds" }),
  trades: Schema.Array(Trade).annotate({ description: "The newest first" }),
  count: Schema.Int,
  partial: Schema.Boolean.annotate({ description: "Whether there are more, which `partial_reason` left no room for" }),
  partial_reason: Schema.NullOr(Schema.String).annotate({
    description: "`hard_cap_250000`, `wall_clock_180s`, or null",
  }),
  fetched_in_ms: Schema.Int,
  cache: Schema.Literals(["hit", "miss"]),
})
