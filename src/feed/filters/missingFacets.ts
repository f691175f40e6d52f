import type { EventType } from "../model.ts"
import type { Facets } from "./Facets.ts"

export type FilteredFacet = keyof Pick<Facets, "wallets" | "tokens" | "conditions" | "side" | "size">

const all: ReadonlyArray<FilteredFacet> = ["wallets", "tokens", "conditions", "side", "size"]
const notOfTrade: ReadonlyArray<FilteredFacet> = ["wallets", "side", "size"]

/** Facets that events of a type never have, so that a filter on them matches none of these events. */
export const missingFacets: Readonly<Partial<Record<EventType, ReadonlyArray<FilteredFacet>>>> = {
  position_change: ["side", "size"],
  position_split: ["side"],
  position_merge: ["side"],
  positions_converted: ["side"],
  redemption: ["side"],
  combo_lifecycle: ["side"],
  combo_approval: ["tokens", "conditions", "side", "size"],
  deposit: ["tokens", "conditions", "side"],
  oracle: notOfTrade,
  market_created: notOfTrade,
  market_resolved: notOfTrade,
  price_change: notOfTrade,
  block: all,
  score: all,
}
