import { confirmed } from "../EventRenderer.ts"
import { depositPayload } from "../payloads/deposit.ts"
import { resolutionPayload } from "../payloads/oracle.ts"
import type { ComboRow, FlowRow, ResolutionRow } from "../rows.ts"
import { tellLifecycle } from "./combos.ts"
import { teller } from "./positions.ts"

export const tellFlow = teller<FlowRow>(
  "collateral_flow",
  (loaded, block, logIndex) => loaded.fact("collateral_flow", block, logIndex),
  ({ wallet }, mentions) => mentions.wallets.add(wallet),
  (row, names) => {
    const size = Math.abs(Number(row.amount))
    const facets = { ...confirmed, wallets: [names.wallet(row.wallet)], size }
    return [{ type: "deposit", facets, data: depositPayload(row, names) }]
  },
)

/** A combo is made that was not there before. */
export const tellCombo = teller<ComboRow>(
  "combo",
  (loaded, block, logIndex) => loaded.fact("combo", block, logIndex),
  ({ condition }, mentions) => mentions.conditions.add(condition),
  (row, names) => {
    const { id, tokens } = names.condition(row.condition)
    const facets = { ...confirmed, tokens: tokens.map((token) => token.id), conditions: [id] }
    const nothing = { from: [], to: [], amount: null, payout: null }
    return tellLifecycle(row, names.combo(id.slice(2)), facets, { action: "Prepare", user: null, ...nothing })
  },
)

export const tellResolution = teller<ResolutionRow>(
  "resolution",
  (loaded, block, logIndex) => loaded.fact("resolution", block, logIndex),
  ({ condition }, mentions) => mentions.conditions.add(condition),
  (row, names) => {
    const { id, tokens } = names.condition(row.condition)
    const facets = { ...confirmed, tokens: tokens.map((token) => token.id), conditions: [id] }
    return [{ type: "oracle", facets, data: resolutionPayload(row, names) }]
  },
)
