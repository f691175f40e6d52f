import { decimalAmount, exactAmount } from "#src/domain/amounts.ts"
import type { LedgerTotals, TokenVolume } from "#src/rollups/model.ts"
import type { RolledUpMarket } from "#src/rollups/Rollups.ts"

interface FoundVolume {
  readonly volume: TokenVolume
  readonly market: RolledUpMarket
}

interface FoundInterest {
  readonly openInterest: bigint
  readonly market: RolledUpMarket
}

const namesOf = (market: RolledUpMarket | undefined) => ({
  market: market?.title ?? null,
  slug: market?.slug ?? null,
  image: market?.image ?? null,
})

const noTrades = { trades: 0, buys: 0, usd: 0n, buyUsd: 0n }

export const shownVolume = (token: string, found: FoundVolume | undefined) => {
  const { trades, buys, usd, buyUsd } = found?.volume ?? noTrades
  return {
    token_id: token,
    source: "onchain",
    found: found !== undefined,
    ...namesOf(found?.market),
    outcome: found?.market.outcome ?? null,
    condition_id: found?.market.condition ?? null,
    total_trades: trades,
    buys,
    sells: trades - buys,
    volume_usdc: exactAmount(usd),
    buy_volume_usdc: exactAmount(buyUsd),
    sell_volume_usdc: exactAmount(usd - buyUsd),
  }
}

export const shownInterest = (condition: string, found: FoundInterest | undefined) => ({
  condition_id: condition,
  source: "onchain",
  found: found !== undefined,
  ...namesOf(found?.market),
  open_interest_usdc: exactAmount(found?.openInterest ?? 0n),
})

export const shownStats = (totals: LedgerTotals) => ({
  total_fills: Number(totals.fills),
  total_trades: Number(totals.trades),
  total_redemptions: Number(totals.redemptions),
  total_wallets: Number(totals.wallets),
  total_positions: String(totals.positions),
  total_realized_pnl: decimalAmount(totals.realized),
  total_gross_profit: decimalAmount(totals.profit),
  total_gross_loss: decimalAmount(totals.profit - totals.realized),
  total_volume: decimalAmount(totals.usd),
  open_interest: decimalAmount(totals.openInterest),
  pnl_as_of_block: totals.sumsAt,
})
