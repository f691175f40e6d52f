import type { BlockTold } from "#src/ledger/blockEvents.ts"
import { confirmed, type EventRenderer, noFacets, unlessNull } from "../EventRenderer.ts"
import { blockPayload } from "../payloads/block.ts"
import { type PriceMoved, priceChangePayload } from "../payloads/priceChange.ts"
import { type Reorganised, reorgPayload } from "../payloads/reorg.ts"
import { type GameStands, scorePayload } from "../payloads/score.ts"

/** Entries that say themselves all there is to say, but for names. */

export const tellReorg: EventRenderer = {
  find: ({ data }) => ({
    tell: () => [{ type: "reorg", facets: noFacets, data: reorgPayload(data as Reorganised) }],
  }),
}

export const tellBlock: EventRenderer = {
  block: ({ ref }) => ref,
  find: ({ ref, data }) => ({
    tell: () => [{ type: "block", facets: confirmed, data: blockPayload(Number(ref), data as BlockTold) }],
  }),
}

export const tellScore: EventRenderer = {
  find: ({ data }) => ({
    tell: () => [{ type: "score", facets: noFacets, data: scorePayload(data as GameStands) }],
  }),
}

export const tellPriceChange: EventRenderer = {
  find: ({ ref, data, recordedAt }) => ({
    mention: ({ tokens }) => tokens.add(Number(ref)),
    tell: (names) => {
      const token = names.token(Number(ref))
      const facets = { ...noFacets, tokens: [token.id], conditions: unlessNull(token.condition) }
      return [{ type: "price_change", facets, data: priceChangePayload(token, data as PriceMoved, recordedAt) }]
    },
  }),
}
