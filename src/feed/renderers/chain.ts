import { usdc } from "#src/domain/amounts.ts"
import type { BlockSummary } from "#src/ledger/model.ts"
import { confirmedFacets, type EventRenderer, factRenderer } from "../EventRenderer.ts"
import { noFacets } from "../filters/Facets.ts"
import { blockPayload, depositPayload, type LoggedReorg, reorgPayload } from "../payloads/chain.ts"
import { resolutionPayload } from "../payloads/resolution.ts"
import type { FlowRow, ResolutionRow } from "../rows.ts"

export const renderBlock: EventRenderer = {
  block: ({ ref }) => ref,
  find: ({ ref, data }) => ({
    render: () => [{ type: "block", facets: confirmedFacets, data: blockPayload(Number(ref), data as BlockSummary) }],
  }),
}

export const renderReorg: EventRenderer = {
  find: ({ data }) => ({
    render: () => [{ type: "reorg", facets: noFacets, data: reorgPayload(data as LoggedReorg) }],
  }),
}

export const renderFlow = factRenderer<FlowRow>(
  "collateral_flow",
  (rows, block, logIndex) => rows.fact("collateral_flow", block, logIndex),
  ({ wallet }, mentions) => mentions.wallets.add(wallet),
  (row, names) => {
    const size = usdc(Math.abs(Number(row.amount)))
    const facets = { ...confirmedFacets, wallets: [names.wallet(row.wallet)], size }
    return [{ type: "deposit", facets, data: depositPayload(row, names) }]
  },
)

export const renderResolution = factRenderer<ResolutionRow>(
  "resolution",
  (rows, block, logIndex, sub) => rows.fact("resolution", block, logIndex, sub),
  ({ condition }, mentions) => mentions.conditions.add(condition),
  (row, names) => {
    const { id, tokens } = names.condition(row.condition)
    const facets = { ...confirmedFacets, tokens: tokens.map((token) => token.id), conditions: [id] }
    return [{ type: "oracle", facets, data: resolutionPayload(row, names) }]
  },
)
