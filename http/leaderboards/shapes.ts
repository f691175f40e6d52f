import { Schema } from "effect"

const Money = Schema.Finite.annotate({ description: "USDC" })
const MoneyText = Schema.String.annotate({ description: "USDC, as a decimal of up to six places" })
const Rank = Schema.Int.annotate({ description: "From 1" })
const Wallet = Schema.String.annotate({ description: "The address, in lower case" })

export const BoardRow = Schema.Struct({
  rank: Rank,
  wallet: Wallet,
  realized_pnl: Money.annotate({ description: "What was realized in the period, USDC" }),
  net_realized_pnl: Money.annotate({ description: "The same" }),
  gross_profit: Money.annotate({ description: "Of what was realized in the period, the gains" }),
  gross_loss: Money.annotate({ description: "Of what was realized in the period, the losses; not negative" }),
  unrealized_pnl: Money.annotate({ description: "Of what is held now, whatever the period" }),
  total_pnl: Money.annotate({ description: "`net_realized_pnl` + `unrealized_pnl`" }),
  wins: Schema.Int.annotate({ description: "How often something was gained in the period" }),
  losses: Schema.Int.annotate({ description: "How often something was lost in the period" }),
  position_count: Schema.Int.annotate({ description: "Outcomes ever held in the scope, whatever the period" }),
  open_positions: Schema.Int.annotate({ description: "Those held now whose market is not resolved" }),
  total_volume: Money.annotate({ description: "Of all trades in the scope, whatever the period" }),
})

export const TagRow = Schema.Struct({
  rank: Rank,
  wallet: Wallet,
  net_pnl: MoneyText.annotate({ description: "What was realized in the period, USDC as a decimal" }),
  realized_pnl: MoneyText.annotate({ description: "The same" }),
  gross_profit: MoneyText,
  gross_loss: MoneyText.annotate({ description: "Not negative" }),
  total_volume: MoneyText.annotate({ description: "Of all trades under the tag, whatever the period" }),
  position_count: Schema.Int.annotate({ description: "Outcomes ever held under the tag, whatever the period" }),
})

const page = {
  rows_returned: Schema.Int,
  has_more: Schema.Boolean.annotate({ description: "Whether ranks follow that can be asked for" }),
  offset: Schema.Int,
  limit: Schema.Int.annotate({ description: "As it was applied" }),
  elapsed_ms: Schema.Int,
  period: Schema.Literals(["1d", "7d", "30d", "all"]),
  sort: Schema.String,
  as_of: Schema.Int.annotate({ description: "Unix seconds: everything up to here is counted, and nothing after it" }),
}

export const scopeNames = ["all", "category", "tag", "market", "event", "condition", "token"] as const
export type ScopeName = (typeof scopeNames)[number]

export const Board = Schema.Struct({
  leaderboard: Schema.Array(BoardRow),
  ...page,
  scope: Schema.Literals(scopeNames).annotate({ description: "What the board is of" }),
  value: Schema.NullOr(Schema.String).annotate({ description: "Which one; null for everything" }),
})

export const TagBoard = Schema.Struct({ data: Schema.Array(TagRow), ...page, tag: Schema.String })

export const Scopes = Schema.Struct({
  scopes: Schema.Array(
    Schema.Struct({
      value: Schema.String.annotate({
        description:
          "What to give as `category` or `tags` to GET /v3/leaderboard; a tag also to GET /v3/tags/:slug/leaderboard",
      }),
      wallet_count: Schema.Int.annotate({ description: "Wallets that have realized something in the period" }),
      ranked_count: Schema.Int.annotate({ description: "Ranks that can be asked for, up to 1000" }),
    }),
  ),
  count: Schema.Int.annotate({ description: "Of this page" }),
  total_count: Schema.Int.annotate({ description: "Of all that match" }),
  limit: Schema.Int.annotate({ description: "As it was applied" }),
  offset: Schema.Int,
  has_more: Schema.Boolean.annotate({ description: "Whether there is another page that can be asked for" }),
  period: Schema.Literals(["1d", "7d", "30d"]),
  scope: Schema.Literals(["category", "tag"]),
  query: Schema.NullOr(Schema.String).annotate({ description: "What was searched for, without space around it" }),
})

const TagDetails = Schema.Struct({
  slug: Schema.String,
  markets: Schema.Int,
  events: Schema.Int,
  first_seen_at: Schema.Int.annotate({ description: "When the first of its markets was made, Unix seconds" }),
  last_seen_at: Schema.Int.annotate({ description: "When the last of its markets was made, Unix seconds" }),
})

export const TagList = Schema.Struct({
  count: Schema.Int,
  tags: Schema.Union([Schema.Array(Schema.String), Schema.Array(TagDetails)]).annotate({
    description: "Slugs; with `details=true` objects",
  }),
})

/** Nobody has heard of what the board should be of. */
export class NoScope extends Schema.Error<NoScope>("NoScope")(
  { error: Schema.String, hint: Schema.String, tag: Schema.optionalKey(Schema.String) },
  { httpApiStatus: 404, description: "The catalogue has no such category, tag, market or event" },
) {}
