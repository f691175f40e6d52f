import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { Wallet } from "#src/domain/Wallet.ts"
import { paidOnly } from "../access/Rule.ts"
import { NotFound, Unavailable } from "../server/errors.ts"
import { walletInPath } from "../v3/parameters.ts"
import { Summary, SummaryBatch } from "./shapes.ts"

const error = [NotFound, Unavailable] as const

export const mostWallets = 100

const about = (summary: string, ...lines: ReadonlyArray<string>) =>
  OpenApi.annotations({ summary, description: lines.join("\n\n") })

const curl = (path: string) => `\`\`\`sh\ncurl -H "x-api-key: $KEY" "localhost:8080${path}"\n\`\`\``

export const flag = (description: string) =>
  Schema.optionalKey(Schema.Literals(["true", "false"]).annotate({ description: `${description}; false by default` }))

const includeCombos = flag("true also shows how much comes from combos, which all figures contain")

const summary = HttpApiEndpoint.get("summary", "/v3/wallets/:address", {
  params: walletInPath,
  query: { include_combos: includeCombos },
  success: Summary,
  error,
}).annotateMerge(
  about(
    "P&L of a wallet",
    "The wallet's row of the all-time leaderboard, as of the newest block. A wallet that never traded has zeros.",
    curl("/v3/wallets/$WALLET"),
  ),
)

const batch = HttpApiEndpoint.post("batch", "/v3/wallets/batch", {
  payload: Schema.Struct({
    wallets: Schema.Array(Wallet)
      .check(
        Schema.isMinLength(1, { message: "expected at least one address" }),
        Schema.isMaxLength(mostWallets, { message: `expected at most ${mostWallets} addresses` }),
      )
      .annotate({ description: `1 to ${mostWallets} wallet addresses` }),
  }),
  success: SummaryBatch,
  error,
}).annotateMerge(
  about(
    "P&L of several wallets",
    `The summaries of up to ${mostWallets} wallets as of one block, in the given order. A wallet that is given twice comes twice.`,
    '```sh\ncurl -X POST localhost:8080/v3/wallets/batch -H "x-api-key: $KEY" -H "content-type: application/json" -d \'{"wallets":["0x…"]}\'\n```',
  ),
)

export class WalletPnlGroup extends HttpApiGroup.make("walletPnl")
  .add(summary, batch)
  .annotateEndpointsMerge(paidOnly())
  .annotateMerge(OpenApi.annotations({ title: "Wallets", description: "What wallets earned, from the ledger." })) {}
