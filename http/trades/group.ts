import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { TokenId } from "#src/domain/TokenId.ts"
import { Wallet } from "#src/domain/Wallet.ts"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { Elsewhere } from "../access/Elsewhere.ts"
import { atLeast } from "../access/Rule.ts"
import { Unavailable } from "../server/errors.ts"

const Trade = Schema.Struct({
  tx_hash: Schema.String,
  order_hash: Schema.String,
  timestamp: Schema.Int.annotate({ description: "Unix seconds" }),
  maker: Schema.String.annotate({ description: "The wallet" }),
  taker: Schema.String.annotate({ description: "The counterparty; the exchange if the wallet took orders of others" }),
  token_id: Schema.String,
  direction: Schema.Literals(["BUY", "SELL"]).annotate({ description: "Side of the wallet" }),
  price: Schema.Finite.annotate({ description: "USDC per share, to four decimals" }),
  shares: Schema.Finite,
  usd: Schema.Finite.annotate({ description: "Price of the shares without the fee" }),
  fee: Schema.Finite.annotate({
    description:
      "Fee of the wallet in USDC, less its refund; a fee charged in shares is converted at the price of the trade",
  }),
  gross_fee: Schema.Finite.annotate({ description: "The fee as it was charged, before its refund" }),
}).annotate({ identifier: "ExportedTrade" })

const exported = {
  from_ts: Schema.Int.annotate({ description: "Unix seconds" }),
  to_ts: Schema.Int.annotate({ description: "Unix seconds; not after the newest block" }),
  coverage: CoverageField,
  trades: Schema.Array(Trade).annotate({ description: "Newest first" }),
  count: Schema.Int,
  partial: Schema.Boolean.annotate({ description: "Whether trades are missing because of `partial_reason`" }),
  partial_reason: Schema.NullOr(Schema.String).annotate({
    description: "`hard_cap_250000`, `wall_clock_180s`, or null",
  }),
  fetched_in_ms: Schema.Int,
  cache: Schema.Literals(["hit", "miss"]),
}
const WalletTrades = Schema.Struct({ wallet: Schema.String, ...exported }).annotate({ identifier: "WalletTradeExport" })
const TokenTrades = Schema.Struct({ token_id: Schema.String, ...exported }).annotate({ identifier: "TokenTradeExport" })

const Second = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const query = {
  from: Schema.optionalKey(
    Second.annotate({ description: "start of the range, in Unix seconds; the start of 2024 by default" }),
  ),
  to: Schema.optionalKey(
    Second.annotate({ description: "end of the range, in Unix seconds, inclusive; the newest block by default" }),
  ),
}

const all = HttpApiEndpoint.get("all", "/v2/onchain/wallets/:address/trades/all", {
  params: {
    address: Wallet.annotate({
      description: "wallet address: 0x and 40 hexadecimal digits, case-insensitive",
    }),
  },
  query,
  success: WalletTrades,
  error: Unavailable,
})
  .annotateMerge(
    OpenApi.annotations({
      summary: "Export all trades of a wallet",
      description: `Every trade of the wallet as maker and taker, without duplicates, newest first, streamed as it is found. At most 250,000 trades and three
minutes: an incomplete answer is \`partial\` with a \`partial_reason\`. To continue, set \`to\` to the \`timestamp\` of the last trade and skip the
trades you have. A wallet without trades has an empty list, which is not an error.

\`Accept\` chooses the format: \`application/json\`, \`application/x-ndjson\` (one trade per line) or \`text/csv\`; 406 if it allows none of them. With the
last two, the fields around \`trades\` are sent as headers (\`x-wallet\`, \`x-from-ts\`, \`x-to-ts\`, \`x-coverage-…\`, \`x-cache\`) and as trailers after the body (\`x-count\`,
\`x-partial\`, \`x-partial-reason\`, \`x-fetched-in-ms\`; HTTP/1.0 has no trailers). An answer that cannot be completed is cut off, so that it cannot be
mistaken for a complete one.

\`to_ts\` is the last second that the answer covers: \`to\`, or the time of the newest block if \`to\` is later or not given. Equal requests
share one search. If \`to\` is given, a complete result is cached for five minutes (\`cache\` is then \`hit\`) for requests with the same \`from\`
and \`to\`; those with a \`to\` after the newest block share one result for that time, as its \`to_ts\` shows. Omit \`to\` to get the newest
trades. An account can run four exports at a time (otherwise 429).

\`\`\`sh
curl --compressed -H "x-api-key: $KEY" -H "accept: text/csv" "$URL/v2/onchain/wallets/$WALLET/trades/all" > trades.csv
\`\`\``,
    }),
  )
  .annotateMerge(atLeast("growth"))

const allOfToken = HttpApiEndpoint.get("allOfToken", "/v2/onchain/markets/:token_id/trades/all", {
  params: { token_id: TokenId.annotate({ description: "a token id in decimal digits" }) },
  query,
  success: TokenTrades,
  error: Unavailable,
})
  .annotateMerge(
    OpenApi.annotations({
      summary: "Export all trades of a token",
      description: `Every trade of the token, once for every order that it filled, as GET /v3/markets/{token_id}/trades lists them. Formats, limits
and caching are those of GET /v2/onchain/wallets/{address}/trades/all; \`x-token-id\` takes the place of \`x-wallet\`.

\`\`\`sh
curl --compressed -H "x-api-key: $KEY" -H "accept: text/csv" "$URL/v2/onchain/markets/$TOKEN/trades/all" > trades.csv
\`\`\``,
    }),
  )
  .annotateMerge(atLeast("growth"))

export class TradesGroup extends HttpApiGroup.make("trades")
  .add(all, allOfToken)
  .annotate(Elsewhere, true)
  .annotateMerge(
    OpenApi.annotations({ title: "Trades", description: "Exports of all trades of a wallet or a token." }),
  ) {}
