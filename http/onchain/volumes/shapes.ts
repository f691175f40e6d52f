import { Schema } from "effect"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { dollars, integer, textOrNull } from "../../openapi/described.ts"
import { AsOfField } from "../../v3/answer.ts"

const about = {
  source: Schema.Literal("onchain"),
  as_of: AsOfField,
  coverage: CoverageField,
}

const found = Schema.Boolean.annotate({ description: "Whether the ledger knows it; if not, all amounts are 0" })
const market = {
  market: textOrNull("Question of the market; null while it is not listed, as are the other names"),
  slug: textOrNull("Slug of the market"),
  image: textOrNull("URL of a picture"),
}

export const TokenVolume = Schema.Struct({
  token_id: Schema.String,
  ...about,
  found,
  ...market,
  outcome: textOrNull("Name of the outcome"),
  condition_id: Schema.NullOr(Schema.String),
  total_trades: integer("Trades: every share that changed hands, was minted or merged in a match counts once"),
  buys: integer("Trades in which the taker bought"),
  sells: integer("Trades in which the taker sold"),
  volume_usdc: dollars("What these trades paid"),
  buy_volume_usdc: dollars("What takers paid for what they bought"),
  sell_volume_usdc: dollars("What takers received for what they sold"),
}).annotate({ identifier: "TokenVolume" })

export const MarketOpenInterest = Schema.Struct({
  condition_id: Schema.String,
  ...about,
  found,
  ...market,
  open_interest_usdc: dollars("What the shares of an unresolved condition pay at most: those of its most held outcome"),
}).annotate({ identifier: "MarketOpenInterest" })

export const OpenInterest = Schema.Struct({
  ...about,
  open_interest_usdc: dollars("The sum over all unresolved conditions"),
}).annotate({ identifier: "OnchainOpenInterest" })

const amount = (description: string) => Schema.String.annotate({ description: `${description}, decimal dollars` })

export const Stats = Schema.Struct({
  total_fills: integer("Fills of orders of makers and takers"),
  total_trades: integer("Trades: every share that changed hands, was minted or merged in a match counts once"),
  total_redemptions: Schema.Int,
  total_wallets: integer("Wallets that ever had a position"),
  total_positions: Schema.String.annotate({ description: "Positions of all wallets, open or closed" }),
  total_realized_pnl: amount("Realized profits less losses"),
  total_gross_profit: amount("Realized profits"),
  total_gross_loss: amount("Realized losses, not negative"),
  total_volume: amount("What all trades paid"),
  open_interest: amount("What the shares of all unresolved conditions pay at most"),
  as_of: AsOfField,
  pnl_as_of_block: integer("Wallets, positions, profits and open interest are as of this block"),
  coverage: CoverageField,
  elapsed_ms: Schema.Int,
}).annotate({ identifier: "VenueStats" })
