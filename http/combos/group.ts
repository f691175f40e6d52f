import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { paidOnly } from "../access/Rule.ts"
import { clampedLimit } from "../input/page.ts"
import { boardSorts } from "../leaderboards/boardInput.ts"
import * as boards from "../leaderboards/parameters.ts"
import { describe } from "../openapi/describe.ts"
import { ofPosition, page as positionPage, sortedBy } from "../positions/list/parameters.ts"
import { BadInput, NotFound, Unavailable } from "../server/errors.ts"
import { pageOf, walletInPath as params } from "../v3/parameters.ts"
import * as parameters from "./parameters.ts"
import * as shapes from "./shapes.ts"

const error = [BadInput, NotFound, Unavailable] as const

const paging =
  "Pages by `cursor` neither overlap nor skip rows, however many are added meanwhile. `as_of` names the block and the entry of the event log that the answer shows. Send `accept: text/csv` or `application/x-ndjson` for the rows alone; `x-next-cursor` is then a header. A wallet that never did anything has an empty list; an unknown combo is 404."

const everything =
  "What happened to combos, newest first: executions, and everything that the modules and the position manager log of them. `event_kind` is `execution`, `prepare`, `split`, `merge`, `redeem`, `transfer`, `wrap`, `unwrap`, `compress`, `convert`, `extract`, `inject`, `convert_to_yes_basket`, `merge_from_yes_basket`, `horizontal_split` or `horizontal_merge`."
const redeemed =
  "Combos that were paid out (`redeem`), and combos whose resolved legs were removed (`compress`): those name the removed legs and the combo that remains."

const { ofCombo, eventKind, ofRedemption } = parameters

const markets = HttpApiEndpoint.get("markets", "/v3/combos/markets", {
  query: { ...parameters.ofMarket, ...parameters.marketStatus, ...pageOf("combos") },
  success: shapes.MarketList,
  error,
}).annotateMerge(
  describe(
    "Combos",
    "/v3/combos/markets?status=open&limit=10",
    "Combos with their legs and what happened to them, the newest first.",
    paging,
  ),
)

const activity = HttpApiEndpoint.get("activity", "/v3/combos/activity", {
  query: { ...ofCombo, ...parameters.ofWallet, ...eventKind, ...pageOf("events") },
  success: shapes.EventList,
  error,
}).annotateMerge(
  describe(
    "Activity of combos",
    "/v3/combos/activity?event_kind=split&limit=10",
    everything,
    "A match is listed once for every order that it filled, as in GET /v3/trades, and a transfer once, with its sender.",
    paging,
  ),
)

const redemptions = HttpApiEndpoint.get("redemptions", "/v3/combos/redemptions", {
  query: { ...ofCombo, ...parameters.ofWallet, ...ofRedemption, ...pageOf("redemptions") },
  success: shapes.RedemptionList,
  error,
}).annotateMerge(describe("Redemptions of combos", "/v3/combos/redemptions?limit=10", redeemed, paging))

const board = HttpApiEndpoint.get("leaderboard", "/v3/combos/leaderboard", {
  query: {
    period: boards.period,
    sort: Schema.optionalKey(
      Schema.String.annotate({
        description: `highest first: ${Object.keys(boardSorts.allTime).join(", ")}; boards of 1d, 7d and 30d only realized (realized_pnl)`,
      }),
    ),
    limit: clampedLimit("rows", boards.rowLimit),
    offset: Schema.optionalKey(boards.natural.annotate({ description: "ranks to skip" })),
  },
  success: shapes.ComboBoard,
  error: [BadInput, Unavailable],
}).annotateMerge(
  describe(
    "Leaderboard of combos",
    "/v3/combos/leaderboard?period=7d&limit=10",
    "Wallets ranked by what they earned with combos, by the rules of GET /v3/leaderboard. 503 `leaderboard_unavailable` until the boards are built for the first time, and while they are too far behind the ledger.",
  ),
)

const positions = HttpApiEndpoint.get("positions", "/v3/wallets/:address/combos/positions", {
  params,
  query: { ...ofCombo, ...ofPosition, ...sortedBy("recent"), ...positionPage },
  success: shapes.WalletPositionList,
  error,
}).annotateMerge(
  describe(
    "Combos of a wallet",
    "/v3/wallets/$WALLET/combos/positions?status=open&limit=10",
    "Positions in combos, with cost and P&L by the same rules as all others, and with their legs. The fields of GET /v3/wallets/{address}/positions with `include_combos`.",
    paging,
  ),
)

const trades = HttpApiEndpoint.get("trades", "/v3/wallets/:address/combos/trades", {
  params,
  query: { ...ofCombo, ...parameters.side, ...pageOf("trades") },
  success: shapes.WalletTradeList,
  error,
})
  .annotateMerge(
    describe(
      "Trades of combos of a wallet",
      "/v3/wallets/$WALLET/combos/trades?limit=10",
      "The fills of a wallet's own orders for combos, in either role.",
      paging,
    ),
  )
  .annotateMerge(paidOnly({ heavy: true }))

const ownActivity = HttpApiEndpoint.get("walletActivity", "/v3/wallets/:address/combos/activity", {
  params,
  query: { ...ofCombo, ...eventKind, ...pageOf("events") },
  success: shapes.WalletEventList,
  error,
}).annotateMerge(
  describe(
    "Activity of a wallet with combos",
    "/v3/wallets/$WALLET/combos/activity?limit=10",
    everything,
    "A transfer is `transfer_in` or `transfer_out`; a transfer to itself is listed as both.",
    paging,
  ),
)

const ownRedemptions = HttpApiEndpoint.get("walletRedemptions", "/v3/wallets/:address/combos/redemptions", {
  params,
  query: { ...ofCombo, ...ofRedemption, ...pageOf("redemptions") },
  success: shapes.WalletRedemptionList,
  error,
}).annotateMerge(
  describe("Redemptions of combos of a wallet", "/v3/wallets/$WALLET/combos/redemptions?limit=10", redeemed, paging),
)

const summary = HttpApiEndpoint.get("summary", "/v3/wallets/:address/combos/summary", {
  params,
  success: shapes.WalletSummary,
  error,
}).annotateMerge(
  describe(
    "Combos of a wallet in figures",
    "/v3/wallets/$WALLET/combos/summary",
    "The sums over all its positions in combos, as `combo_pnl` in GET /v3/wallets/{address} has them. A wallet that never had any has zeros.",
  ),
)

export class CombosGroup extends HttpApiGroup.make("combos")
  .add(markets, activity, redemptions, board, positions, ownActivity, ownRedemptions, summary)
  .annotateEndpointsMerge(paidOnly())
  .add(trades)
  .annotateMerge(
    OpenApi.annotations({
      title: "Combos",
      description:
        "Combos, which pay if all their legs do: markets, positions, trades and everything that happens to them.",
    }),
  ) {}
