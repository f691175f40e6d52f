import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { mostFollowed, periods } from "#src/copy-pnl/model.ts"
import { sortings } from "#src/copy-pnl/rank.ts"
import { copyPnlBatch } from "#src/limits/buckets.ts"
import { atLeast } from "../access/Rule.ts"
import { BadInput, Unavailable } from "../errors.ts"
import * as shapes from "./shapes.ts"

const about = (summary: string, description?: string) =>
  OpenApi.annotations({ summary, ...(description !== undefined && { description }) })

const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))
const whole = (description: string, minimum: number, maximum?: number) =>
  Schema.optionalKey(
    Schema.Int.check(
      maximum === undefined ? Schema.isGreaterThanOrEqualTo(minimum) : Schema.isBetween({ minimum, maximum }),
    ).annotate({ description }),
  )

const add = HttpApiEndpoint.post("add", "/v2/copy-pnl/wallets", {
  payload: shapes.Addresses,
  success: shapes.Added,
  error: Unavailable,
}).annotateMerge(
  about(
    "Add wallets to the pool",
    `The pool is the account's, with up to ${mostFollowed} wallets. New ones are scored within about 30 seconds and then once a day; scores
of the last day are there at once, whoever asked for them.

\`\`\`sh
curl -X POST localhost:8080/v2/copy-pnl/wallets -H "x-api-key: $KEY" -H "content-type: application/json" -d '{"addresses":["0x…"]}'
\`\`\``,
  ),
)

const remove = HttpApiEndpoint.delete("remove", "/v2/copy-pnl/wallets", {
  payload: shapes.Addresses,
  success: shapes.Removed,
  error: Unavailable,
}).annotateMerge(about("Remove wallets from the pool", "Those that are not in it do not matter."))

const list = HttpApiEndpoint.get("list", "/v2/copy-pnl/wallets", {
  success: shapes.Pool,
  error: Unavailable,
}).annotateMerge(about("The wallets in the pool"))

const snapshot = HttpApiEndpoint.get("snapshot", "/v2/copy-pnl/snapshot", {
  query: { periods: text(`some of ${periods.join(",")}, separated by commas; all when left out`) },
  success: shapes.Snapshot,
  error: Unavailable,
}).annotateMerge(about("All scores of the pool", "Every wallet of the pool with its scores, without paging."))

const leaderboard = HttpApiEndpoint.get("leaderboard", "/v2/copy-pnl/leaderboard", {
  query: {
    period: text(`${periods.join(", ")}; 30d when left out`),
    sort_by: text(`${Object.keys(sortings).join(", ")}; backtest_copy_pnl_usdc when left out`),
    order: text("asc or desc; desc when left out. Wallets without a rate come last in both"),
    limit: whole("wallets at most, 1 to 1000; 100 when left out", 1, 1_000),
    offset: whole("wallets to pass over; 0 when left out", 0),
    min_trade_count: whole("only wallets with at least so many fills in the window; 0 when left out", 0),
    exclude_toxic: Schema.optionalKey(
      Schema.Literals(["true", "false"]).annotate({ description: "true leaves out those with a rate above 15" }),
    ),
  },
  success: shapes.Leaderboard,
  error: Unavailable,
}).annotateMerge(
  about(
    "The pool, ranked",
    "Wallets that are not scored yet, or could not be scored last time, are counted and not listed. Equal ones are in the order of their addresses.",
  ),
)

const from = "where the window begins, in Unix seconds; it belongs to it. Without it, 30 days before its end"
const to = "where the window ends, in Unix seconds; it belongs to it. Without it, now"
const include_trades = (most: number) => `true adds the newest trades of the window, up to ${most}`

const one = HttpApiEndpoint.get("one", "/v2/copy-pnl/:wallet", {
  params: { wallet: Schema.String.annotate({ description: "0x and 40 hexadecimal digits, in any case" }) },
  query: {
    period: text(`${periods.join(", ")}, back from now; 30d when neither this nor \`from\` and \`to\` are given`),
    from: whole(from, 0),
    to: whole(to, 0),
    include_trades: Schema.optionalKey(
      Schema.Literals(["true", "false"]).annotate({ description: include_trades(shapes.mostTrades) }),
    ),
  },
  success: shapes.Report,
  error: Unavailable,
}).annotateMerge(
  about(
    "The score of any wallet, now",
    "Worked out by workers while you wait, 30 seconds at most; what is not complete by then is `partial`. Whether the wallet is in the pool does not matter. An account has few of these requests under way at a time; one more is refused with 429.",
  ),
)

const batch = HttpApiEndpoint.post("batch", "/v2/copy-pnl/batch", {
  payload: shapes.BatchAsked,
  success: shapes.Batch,
  error: [BadInput, Unavailable],
}).annotateMerge(
  about(
    "The scores of up to 100 wallets, now",
    "All within 30 seconds: a wallet that was not reached by then has an `error` instead of a score.",
  ),
)

export class CopyPnlGroup extends HttpApiGroup.make("copyPnl")
  .add(add, remove, list, snapshot, leaderboard, one)
  .annotateEndpointsMerge(atLeast("starter"))
  .add(batch.annotateMerge(atLeast("starter", { perKey: copyPnlBatch })))
  .annotateMerge(
    OpenApi.annotations({
      title: "Copy-pnl",
      description:
        "What wallets earned, and what somebody would have earned who copies their trades 2 % worse: by cash, at price × shares without fees, with splits, merges, redemptions and conversions at face value.",
    }),
  ) {}
