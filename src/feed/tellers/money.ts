import { depositPayload } from "../payloads/deposit.ts"
import { resolutionPayload } from "../payloads/oracle.ts"
import type { FlowRow, ResolutionRow } from "../rows.ts"
import { confirmed } from "../Teller.ts"
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
