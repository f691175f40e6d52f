import { Schema } from "effect"
import { CoverageField } from "#src/ledger/coverage/shape.ts"

const Money = Schema.Finite.annotate({ description: "USDC" })
const MoneyText = Schema.String.annotate({ description: "USDC, as a decimal of up to six places" })
const Rank = Schema.Int.annotate({ description: "From 1" })
const Wallet = Schema.String.annotate({ description: "The address, in lower case" })

const Basis = Schema.Literals(["known", "unknown"]).annotate({
  description:
    "`unknown` if the wallet has a position in the scope with shares from before `coverage`, whose cost is unknown: its gains, losses and value are not counted. Only with `include_partial=true`",
})

export const BoardRow = Schema.Struct({
  rank: Rank,
  wallet: Wallet,
  realized_pnl: Money.annotate({ description: "Realized gains less losses in the period, USDC" }),
  net_realized_pnl: Money.annotate({ description: "Same as `realized_pnl`" }),
  gross_profit: Money.annotate({ description: "Sum of the realized gains in the period, USDC" }),
  gross_loss: Money.annotate({ description: "Sum of the realized losses in the period, USDC; not negative" }),
  unrealized_pnl: Money.annotate({
    description: "Unrealized gains less losses of current holdings, independent of the period",
  }),
  total_pnl: Money.annotate({ description: "`net_realized_pnl` + `unrealized_pnl`" }),
  wins: Schema.Int.annotate({ description: "Number of realized gains in the period" }),
  losses: Schema.Int.annotate({ description: "Number of realized losses in the period" }),
  position_count: Schema.Int.annotate({ description: "Outcomes ever held in the scope, independent of the period" }),
  open_positions: Schema.Int.annotate({ description: "Outcomes held now whose market is not resolved" }),
  total_volume: Money.annotate({ description: "Volume of all trades in the scope, independent of the period" }),
  basis: Basis,
  rewards_received: Schema.optionalKey(
    Money.annotate({ description: "Rewards for liquidity of all time, USDC; part of no P&L. With `include=rewards`" }),
  ),
  rebates_received: Schema.optionalKey(
    Money.annotate({
      description: "Fees paid back as a maker of all time, USDC; part of no P&L. With `include=rewards`",
    }),
  ),
}).annotate({ identifier: "LeaderboardRow" })

const TagRow = Schema.Struct({
  rank: Rank,
  wallet: Wallet,
  net_pnl: MoneyText.annotate({ description: "Realized gains less losses in the period, USDC as a decimal" }),
  realized_pnl: MoneyText.annotate({ description: "Same as `net_pnl`" }),
  gross_profit: MoneyText,
  gross_loss: MoneyText.annotate({ description: "Not negative" }),
  total_volume: MoneyText.annotate({ description: "Volume of all trades under the tag, independent of the period" }),
  position_count: Schema.Int.annotate({ description: "Outcomes ever held under the tag, independent of the period" }),
  basis: Basis,
}).annotate({ identifier: "TagLeaderboardRow" })

const page = {
  rows_returned: Schema.Int,
  has_more: Schema.Boolean.annotate({ description: "Whether more ranks follow" }),
  offset: Schema.Int,
  limit: Schema.Int.annotate({ description: "Applied limit" }),
  elapsed_ms: Schema.Int,
  period: Schema.Literals(["1d", "7d", "30d", "all"]),
  sort: Schema.String,
  coverage: CoverageField,
  as_of: Schema.Int.annotate({ description: "Unix seconds; includes everything up to this time and nothing after it" }),
}

export const scopeNames = ["all", "category", "tag", "market", "event", "condition", "token"] as const
export type ScopeName = (typeof scopeNames)[number]

export const Board = Schema.Struct({
  leaderboard: Schema.Array(BoardRow),
  ...page,
  scope: Schema.Literals(scopeNames).annotate({ description: "Kind of scope" }),
  value: Schema.NullOr(Schema.String).annotate({ description: "Value of the scope; null for everything" }),
  prices_as_of: Schema.Int.annotate({
    description: "Unix seconds; `unrealized_pnl` uses the newest prices up to this time",
  }),
}).annotate({ identifier: "Leaderboard" })

export const TagBoard = Schema.Struct({ data: Schema.Array(TagRow), ...page, tag: Schema.String }).annotate({
  identifier: "TagLeaderboard",
})

export const Scopes = Schema.Struct({
  scopes: Schema.Array(
    Schema.Struct({
      value: Schema.String.annotate({
        description:
          "Use it as `category` or `tags` in GET /v3/leaderboard, and a tag also in GET /v3/tags/:slug/leaderboard",
      }),
      wallet_count: Schema.Int.annotate({ description: "Wallets with a realized gain or loss in the period" }),
      ranked_count: Schema.Int.annotate({ description: "Available ranks, up to 1000; with `include_partial=true`" }),
    }),
  ),
  count: Schema.Int.annotate({ description: "Rows on this page" }),
  total_count: Schema.Int.annotate({ description: "All matching rows" }),
  limit: Schema.Int.annotate({ description: "Applied limit" }),
  offset: Schema.Int,
  has_more: Schema.Boolean.annotate({ description: "Whether another page is available" }),
  period: Schema.Literals(["1d", "7d", "30d"]),
  scope: Schema.Literals(["category", "tag"]),
  query: Schema.NullOr(Schema.String).annotate({ description: "The search text, trimmed" }),
}).annotate({ identifier: "LeaderboardScopes" })

/** The venue also counts markets that closed long ago and were never traded; these are not read. */
export const inCatalogue =
  "open ones, those that closed lately, and older ones with trades. The venue also counts old markets that were never traded"

const TagDetails = Schema.Struct({
  slug: Schema.String,
  markets: Schema.Int.annotate({ description: `Markets with the tag in the catalogue: ${inCatalogue}` }),
  events: Schema.Int.annotate({ description: "Their events" }),
  first_seen_at: Schema.Int.annotate({ description: "Creation of its first market, Unix seconds" }),
  last_seen_at: Schema.Int.annotate({ description: "Creation of its latest market, Unix seconds" }),
}).annotate({ identifier: "TagDetails" })

export const TagList = Schema.Struct({
  count: Schema.Int,
  tags: Schema.Union([Schema.Array(Schema.String), Schema.Array(TagDetails)]).annotate({
    description: "Slugs, or objects with `details=true`",
  }),
}).annotate({ identifier: "OnchainTagList" })

/** The scope does not exist. */
export class NoScope extends Schema.Error<NoScope>("NoScope")(
  { error: Schema.String, hint: Schema.String, tag: Schema.optionalKey(Schema.String) },
  { httpApiStatus: 404, description: "The catalogue has no such category, tag, market or event" },
) {}
