import { tokenOfHex } from "#src/domain/TokenId.ts"
import { type EventRenderer, unlessNull } from "#src/feed/EventRenderer.ts"
import type { MarketRow } from "#src/feed/rows.ts"
import { createdData, resolvedData } from "../../payloads/market.ts"
import type { Facets, Occurrence } from "../model.ts"
import { noFacets } from "./facets.ts"
import { type Data, occurrence, stateless } from "./stateless.ts"

const facetsOf = ({ condition, tokens, event_slug, tags }: MarketRow): Facets => ({
  ...noFacets,
  tokens: tokens.map(tokenOfHex),
  conditions: unlessNull(condition).map((hash) => `0x${hash}`),
  eventSlugs: unlessNull(event_slug),
  tags: (tags ?? []).map((tag) => tag.toLowerCase()),
})

/** What the venue's catalogue says is in no block and waits for none; of each market once. */
const marketTeller = (data: (row: MarketRow) => Data): EventRenderer<Occurrence> => ({
  needs: ({ ref }, needs) => needs.markets.add(Number(ref)),
  find: ({ ref }, loaded) => {
    const row = loaded.market(Number(ref))
    return row && { tell: () => [occurrence(`market ${row.id}`, facetsOf(row), () => data(row))] }
  },
})

export const marketPollers = [
  stateless("market_created", { market_created: marketTeller(createdData) }),
  stateless("market_resolved", { market_resolved: marketTeller(resolvedData) }),
]
