import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { mostFollowed, periods } from "#src/copy-pnl/model.ts"
import { sortings } from "#src/copy-pnl/rank.ts"
import { copyPnlBatch } from "#src/limits/buckets.ts"
import { Elsewhere } from "../access/Elsewhere.ts"
import { paidOnly } from "../access/Rule.ts"
import { limitOf, offsetOf } from "../input/page.ts"
import { BadInput, Unavailable } from "../server/errors.ts"
import * as input from "./input.ts"
import * as shapes from "./shapes.ts"

const about = (summary: string, description?: string) =>
  OpenApi.annotations({ summary, ...(description !== undefined && { description }) })

export const boardLimit = { default: 100, max: 1_000 }

const natural = (description: string) =>
  Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ description }))

const add = HttpApiEndpoint.post("add", "/v2/copy-pnl/wallets", {
  payload: shapes.Addresses,
  success: shapes.Added,
  error: Unavailable,
}).annotateMerge(
  about(
    "Add wallets to the pool",
    `Each account has one pool of up to ${mostFollowed} wallets. New wallets are scored within about 30 seconds and then once a day; scores of
the last day are available at once, even if another account requested them.

\`\`\`sh
curl -X POST "$URL/v2/copy-pnl/wallets" -H "x-api-key: $KEY" -H "content-type: application/json" -d '{"addresses":["0x…"]}'
\`\`\``,
  ),
)

const remove = HttpApiEndpoint.delete("remove", "/v2/copy-pnl/wallets", {
  payload: shapes.Addresses,
  success: shapes.Removed,
  error: Unavailable,
}).annotateMerge(about("Remove wallets from the pool", "Wallets that are not in the pool are ignored."))

const list = HttpApiEndpoint.get("list", "/v2/copy-pnl/wallets", {
  success: shapes.Pool,
  error: Unavailable,
}).annotateMerge(about("List the wallets of the pool"))

const snapshot = HttpApiEndpoint.get("snapshot", "/v2/copy-pnl/snapshot", {
  query: {
    periods: Schema.optionalKey(
      input.PeriodsParameter.annotate({ description: `comma-separated list of ${periods.join(",")}; all by default` }),
    ),
  },
  success: shapes.Snapshot,
  error: Unavailable,
}).annotateMerge(about("Scores of the pool", "Every wallet of the pool with its scores, on one page."))

const leaderboard = HttpApiEndpoint.get("leaderboard", "/v2/copy-pnl/leaderboard", {
  query: {
    period: Schema.optionalKey(
      input.PeriodParameter.annotate({ description: `${periods.join(", ")}; 30d by default` }),
    ),
    sort_by: Schema.optionalKey(
      input.SortingParameter.annotate({
        description: `${Object.keys(sortings).join(", ")}; backtest_copy_pnl_usdc by default`,
      }),
    ),
    order: Schema.optionalKey(
      input.OrderParameter.annotate({
        description: "asc or desc; desc by default. Wallets without a rate come last in both",
      }),
    ),
    limit: limitOf("wallets", boardLimit),
    offset: offsetOf("wallets"),
    min_trade_count: natural("only wallets with at least this many fills in the window; 0 by default"),
    exclude_toxic: Schema.optionalKey(
      Schema.Literals(["true", "false"]).annotate({ description: "true omits wallets with a rate above 15" }),
    ),
  },
  success: shapes.Leaderboard,
  error: Unavailable,
}).annotateMerge(
  about(
    "Leaderboard of the pool",
    "Wallets that are not scored yet, or failed to be scored last time, are counted but not listed. Equal wallets are ordered by address.",
  ),
)

const from = "start of the window, in Unix seconds, inclusive; 30 days before its end by default"
const to =
  "end of the window, in Unix seconds, inclusive; now by default. `applied_filters` has the time of the newest block if this is earlier"
const include_trades = (max: number) => `true adds the newest trades of the window, up to ${max}`

const one = HttpApiEndpoint.get("one", "/v2/copy-pnl/:wallet", {
  params: {
    wallet: input.WalletParameter.annotate({ description: "0x and 40 hexadecimal digits, case-insensitive" }),
  },
  query: {
    period: Schema.optionalKey(
      input.PeriodParameter.annotate({
        description: `${periods.join(", ")}, ending now; 30d by default if \`from\` and \`to\` are not given either`,
      }),
    ),
    from: natural(from),
    to: natural(to),
    include_trades: Schema.optionalKey(
      Schema.Literals(["true", "false"]).annotate({ description: include_trades(shapes.maxTrades) }),
    ),
    depth: Schema.optionalKey(
      Schema.Literals(["true", "false"]).annotate({
        description:
          "true lets the copier trade the same shares at the order book that was recorded after the trade, where there is one, instead of at 2 % worse prices; `depth` has the counts",
      }),
    ),
  },
  success: shapes.Report,
  error: Unavailable,
}).annotateMerge(
  about(
    "Score a wallet on demand",
    "Computed during the request, in at most 30 seconds; a score that is not complete by then is `partial`. The wallet does not have to be in the pool. An account can have only a few of these requests in progress; one more is refused with 429.",
  ),
)

const batch = HttpApiEndpoint.post("batch", "/v2/copy-pnl/batch", {
  payload: shapes.BatchRequest,
  success: shapes.Batch,
  error: [BadInput, Unavailable],
}).annotateMerge(
  about(
    "Score up to 100 wallets on demand",
    "All within 30 seconds: a wallet that could not be scored by then has an `error` instead of a score.",
  ),
)

export class CopyPnlGroup extends HttpApiGroup.make("copyPnl")
  .add(add, remove, list, snapshot, leaderboard, one)
  .annotate(Elsewhere, true)
  .annotateEndpointsMerge(paidOnly())
  .add(batch.annotateMerge(paidOnly({ perKey: copyPnlBatch })))
  .annotateMerge(
    OpenApi.annotations({
      title: "Copy-pnl",
      description:
        "Profit of wallets, and of a copier who trades at 2 % worse prices. Profit is the cash flow at price × shares without fees, with splits, merges, redemptions and conversions at face value.",
    }),
  ) {}
