import { exactAmount } from "#src/domain/amounts.ts"
import type { PnlSums } from "#src/wallets/model.ts"

export const shownSums = (sums: PnlSums) => ({
  net_realized_pnl: exactAmount(sums.realized),
  realized_pnl: exactAmount(sums.realized),
  gross_profit: exactAmount(sums.profit),
  gross_loss: exactAmount(sums.profit - sums.realized),
  unrealized_pnl: exactAmount(sums.unrealized),
  total_pnl: exactAmount(sums.realized + sums.unrealized),
  wins: sums.wins,
  losses: sums.losses,
  position_count: sums.positions,
  open_positions: sums.open,
  total_volume: exactAmount(sums.volume),
  basis: sums.partial > 0 ? "unknown" : "known",
  partial_positions: sums.partial,
})

export const shownCombos = ({ realized, unrealized, positions, open }: PnlSums) => ({
  include_combos: true,
  included_position_types: ["market", "combo"],
  combo_pnl: {
    position_type: "combo",
    included: true,
    realized_pnl: exactAmount(realized),
    unrealized_pnl: exactAmount(unrealized),
    total_pnl: exactAmount(realized + unrealized),
    position_count: positions,
    open_positions: open,
  },
})
