import type { TokenInfo } from "#src/catalogue/Enrichment.ts"
import { unlessNull } from "#src/feed/EventRenderer.ts"
import type { TokenName } from "#src/feed/Names.ts"
import type { Facets } from "../model.ts"

export const noFacets: Facets = {
  wallets: [],
  tokens: [],
  conditions: [],
  eventSlugs: [],
  tags: [],
  onlyForWallet: false,
}

type Listing = Pick<Facets, "eventSlugs" | "tags">

const unlisted: Listing = { eventSlugs: [], tags: [] }
/** Names are kept as long as somebody uses them, and so is what is made of them. */
const made = new WeakMap<TokenInfo, Listing>()

/** Where a market is listed. */
export const listingOf = (info: TokenInfo | undefined): Listing => {
  if (info === undefined) return unlisted
  const listing = made.get(info) ?? {
    eventSlugs: unlessNull(info.eventSlug),
    tags: info.tags.map((tag) => tag.toLowerCase()),
  }
  made.set(info, listing)
  return listing
}

/** Of what is about one token. */
export const tokenFacets = ({ id, condition, info }: TokenName): Facets => ({
  ...noFacets,
  tokens: [id],
  conditions: unlessNull(condition),
  ...listingOf(info),
})
