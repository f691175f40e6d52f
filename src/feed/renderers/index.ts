import type { EventRenderer } from "../EventRenderer.ts"
import { tellFill } from "./fill.ts"
import { tellMarketCreated, tellMarketResolved } from "./market.ts"
import { tellCombo, tellFlow, tellResolution } from "./money.ts"
import { tellBlock, tellPriceChange, tellReorg, tellScore } from "./plain.ts"
import { tellConversion, tellMerge, tellRedemption, tellSplit, tellTransfer } from "./positions.ts"
import { tellSettlement, tellSettlementStatus } from "./settlement.ts"

/** How each kind of entry is told. What is not here is nobody's business. */
export const tellers: ReadonlyMap<string, EventRenderer> = new Map(
  Object.entries({
    fill: tellFill,
    split: tellSplit,
    merge: tellMerge,
    redemption: tellRedemption,
    conversion: tellConversion,
    transfer: tellTransfer,
    collateral_flow: tellFlow,
    resolution: tellResolution,
    combo: tellCombo,
    settlement: tellSettlement,
    settlement_status: tellSettlementStatus,
    block: tellBlock,
    reorg: tellReorg,
    price_change: tellPriceChange,
    market_created: tellMarketCreated,
    market_resolved: tellMarketResolved,
    score: tellScore,
  } satisfies Readonly<Record<string, EventRenderer>>),
)
