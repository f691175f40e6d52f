import { exactAmount } from "#src/domain/amounts.ts"
import type { BlockTold } from "#src/ledger/blockEvents.ts"

export const blockPayload = (number: number, told: BlockTold) => ({
  event_type: "block",
  block_number: number,
  block_hash: `0x${told.hash}`,
  parent_hash: `0x${told.parent}`,
  timestamp: Math.floor(told.at / 1000),
  tx_count: told.transactions,
  polymarket_tx_count: told.venueTransactions,
  settlement_count: told.settlements,
  trade_volume_usd: exactAmount(told.volume),
})
