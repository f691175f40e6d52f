import type { EventRenderer } from "../EventRenderer.ts"
import { renderApproval } from "./approvals.ts"
import { renderBlock, renderFlow, renderReorg, renderResolution } from "./chain.ts"
import { renderFill } from "./fills.ts"
import { renderMarketCreated, renderMarketResolved, renderPriceChange, renderScore } from "./markets.ts"
import {
  renderCombo,
  renderConversion,
  renderMerge,
  renderRedemption,
  renderSplit,
  renderTransfer,
} from "./positions.ts"
import { renderSettlement, renderSettlementStatus } from "./settlements.ts"

/** Renderers by the kind of log entry. Other kinds are internal. */
export const renderers: ReadonlyMap<string, EventRenderer> = new Map(
  Object.entries({
    fill: renderFill,
    split: renderSplit,
    merge: renderMerge,
    redemption: renderRedemption,
    conversion: renderConversion,
    transfer: renderTransfer,
    collateral_flow: renderFlow,
    resolution: renderResolution,
    combo: renderCombo,
    settlement: renderSettlement,
    settlement_status: renderSettlementStatus,
    approval: renderApproval,
    block: renderBlock,
    reorg: renderReorg,
    price_change: renderPriceChange,
    market_created: renderMarketCreated,
    market_resolved: renderMarketResolved,
    score: renderScore,
  } satisfies Readonly<Record<string, EventRenderer>>),
)
