import { type EventRenderer, fromNullable } from "../EventRenderer.ts"
import { noFacets } from "../filters/Facets.ts"
import {
  createdPayload,
  type LoggedPriceMove,
  type LoggedScore,
  priceChangePayload,
  resolvedPayload,
  scorePayload,
} from "../payloads/markets.ts"
import type { MarketRow } from "../rows.ts"

const marketRenderer = (
  type: "market_created" | "market_resolved",
  payload: (row: MarketRow) => Readonly<Record<string, unknown>> & { readonly token_ids: ReadonlyArray<string> },
): EventRenderer => ({
  needs: ({ ref }, needs) => needs.markets.add(Number(ref)),
  find: ({ ref }, rows) => {
    const row = rows.market(Number(ref))
    if (row === undefined) return undefined
    const data = payload(row)
    const conditions = row.condition === null ? [] : [`0x${row.condition}`]
    return { render: () => [{ type, facets: { ...noFacets, tokens: data.token_ids, conditions }, data }] }
  },
})

export const renderMarketCreated = marketRenderer("market_created", createdPayload)
export const renderMarketResolved = marketRenderer("market_resolved", resolvedPayload)

export const renderScore: EventRenderer = {
  find: ({ data }) => ({
    render: () => {
      const score = data as LoggedScore
      const facets = {
        ...noFacets,
        leagues: fromNullable(score.league?.toLowerCase() ?? null),
        games: [String(score.game).toLowerCase(), ...fromNullable(score.slug?.toLowerCase() ?? null)],
      }
      return [{ type: "score", facets, data: scorePayload(score) }]
    },
  }),
}

export const renderPriceChange: EventRenderer = {
  find: ({ ref, data, recordedAt }) => ({
    mention: ({ tokens }) => tokens.add(Number(ref)),
    render: (names) => {
      const token = names.token(Number(ref))
      const facets = { ...noFacets, tokens: [token.id], conditions: fromNullable(token.condition) }
      return [{ type: "price_change", facets, data: priceChangePayload(token, data as LoggedPriceMove, recordedAt) }]
    },
  }),
}
