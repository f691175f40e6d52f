import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { Wallet } from "#src/domain/Wallet.ts"
import { atLeast } from "../access/Rule.ts"
import { Unavailable } from "../errors.ts"
import { WalletTrades } from "./shapes.ts"

const Second = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const all = HttpApiEndpoint.get("all", "/v2/onchain/wallets/:address/trades/all", {
  params: {
    address: Wallet.annotate({
      description: "the address of a wallet: 0x and 40 hexadecimal digits, in any case",
    }),
  },
  query: {
    from: Schema.optionalKey(
      Second.annotate({ description: "where the range begins, in Unix seconds; the start of 2024 when left out" }),
    ),
    to: Schema.optionalKey(
      Second.annotate({
        description: "where the range ends, in Unix seconds, that second included; now when left out",
      }),
    ),
  },
  success: WalletTrades,
  error: Unavailable,
})
  .annotateMerge(
    OpenApi.annotations({
      summary: "All trades of a wallet",
      description: `Every trade that the wallet made, as maker and as taker and none twice, the newest first, in one answer that comes as it is
found. At most 250,000 trades and three minutes: what had to be left out makes it \`partial\`, with \`partial_reason\`; go on with
\`to\` at the \`timestamp\` of the last trade, and leave out those you have. A wallet without trades has none, which is no error.

\`Accept\` chooses the form: \`application/json\`, \`application/x-ndjson\` (a trade a line) or \`text/csv\`; 406 where it allows none of them. What the object says around
\`trades\` comes with the last two as headers (\`x-wallet\`, \`x-from-ts\`, \`x-to-ts\`, \`x-cache\`) and as trailers behind the body (\`x-count\`,
\`x-partial\`, \`x-partial-reason\`, \`x-fetched-in-ms\`; HTTP/1.0 has no trailers). An answer that cannot be finished is cut off, so that it is not taken for a whole one.

Equal requests share one search. One that is not partial is kept for five minutes (\`cache\` is then \`hit\`) for whoever asks with the same
\`from\` and \`to\`, but only if \`to\` is given and not after the newest block that was there: else trades that are still to come would be
missing. An account has four exports at a time (else 429).

\`\`\`sh
curl --compressed -H "x-api-key: $KEY" -H "accept: text/csv" "localhost:8080/v2/onchain/wallets/$WALLET/trades/all" > trades.csv
\`\`\``,
    }),
  )
  .annotateMerge(atLeast("growth"))

export class TradesGroup extends HttpApiGroup.make("trades")
  .add(all)
  .annotateMerge(OpenApi.annotations({ title: "Trades", description: "What wallets bought and sold." })) {}
