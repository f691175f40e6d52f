import type { Schema } from "effect"
import { exactAmount } from "#src/domain/amounts.ts"
import { priceOf } from "#src/feed/amounts.ts"
import type { ListedTrade, OrderTotals } from "#src/trades/list/model.ts"
import { shownTrade as shownInV3 } from "../../trades/list/translate.ts"
import type { Trade, WalletFill } from "./shapes.ts"

const shownTotals = ({ fills, usd, shares, fee, firstAt, lastAt, txs }: OrderTotals) => ({
  fill_count: fills,
  total_amount_usd: exactAmount(usd),
  total_shares: exactAmount(shares),
  avg_price: priceOf(usd, shares),
  total_fee_usd: exactAmount(fee),
  first_fill_at: firstAt,
  last_fill_at: lastAt,
  tx_hashes: txs,
})

export const shownTrade = (trade: ListedTrade): typeof Trade.Type => {
  const { direction, market, outcome, image, slug, condition_id, price } = shownInV3(trade)
  return {
    timestamp: trade.at,
    tx_hash: trade.tx,
    order_hash: trade.orderHash,
    maker: trade.maker,
    taker: trade.taker,
    token_id: trade.token,
    price,
    amount_usd: exactAmount(trade.usd),
    fee_usd: exactAmount(trade.fee),
    shares: exactAmount(trade.shares),
    side: direction,
    direction,
    market,
    outcome,
    image,
    market_slug: slug,
    condition_id,
    ...(trade.totals && shownTotals(trade.totals)),
  }
}

export const shownFill = (trade: ListedTrade) => {
  const { maker_asset_id, taker_asset_id, maker_amount, taker_amount, fee, role, direction } = shownInV3(trade)
  return {
    tx_hash: trade.tx,
    order_hash: trade.orderHash,
    timestamp: trade.at,
    maker: trade.maker,
    taker: trade.taker,
    maker_asset_id,
    taker_asset_id,
    maker_amount,
    taker_amount,
    fee,
    side: role,
    direction,
  }
}

export const shownWalletFill = (trade: ListedTrade): Schema.Schema.Type<typeof WalletFill> => ({
  ...shownFill(trade),
  market: trade.title,
  slug: trade.slug,
  outcome: trade.outcome,
  image: trade.image,
})

/** Names of the market that all trades of a list are of. */
export const shownNames = (trade: ListedTrade | undefined) => ({
  market: trade?.title ?? null,
  slug: trade?.slug ?? null,
  outcome: trade?.outcome ?? null,
  image: trade?.image ?? null,
  condition_id: trade?.condition ?? null,
})
