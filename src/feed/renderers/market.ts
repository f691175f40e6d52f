import { type EventRenderer, noFacets } from "../EventRenderer.ts"
import { createdPayload, resolvedPayload } from "../payloads/market.ts"
import type { MarketRow } from "../rows.ts"

const teller = (
  type: "market_created" | "market_resolved",
  payload: (row: MarketRow) => Readonly<Record<string, unknown>> & { readonly token_ids: ReadonlyArray<string> },
): EventRenderer => ({
  needs: ({ ref }, needs) => needs.markets.add(Number(ref)),
  find: ({ ref }, loaded) => {
    const row = loaded.market(Number(ref))
    if (row === undefined) return undefined
    const data = payload(row)
    const conditions = row.condition === null ? [] : [`0x${row.condition}`]
    return { tell: () => [{ type, facets: { ...noFacets, tokens: data.token_ids, conditions }, data }] }
  },
})

export const tellMarketCreated = teller("market_created", createdPayload)
export const tellMarketResolved = teller("market_resolved", resolvedPayload)
