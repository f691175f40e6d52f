import type { TokenInfo } from "#src/catalogue/Enrichment.ts"
import { fromNullable } from "#src/feed/EventRenderer.ts"
import { type Facets, noFacets } from "#src/feed/filters/Facets.ts"
import type { TokenName } from "#src/feed/Names.ts"

type Listing = Pick<Facets, "eventSlugs" | "tags">

const unlisted: Listing = { eventSlugs: [], tags: [] }
/** Cached for as long as the token info itself. */
const cache = new WeakMap<TokenInfo, Listing>()

/** Event and tags of a market. */
export const listingOf = (info: TokenInfo | undefined): Listing => {
  if (info === undefined) return unlisted
  const listing = cache.get(info) ?? {
    eventSlugs: fromNullable(info.eventSlug),
    tags: info.tags.map((tag) => tag.toLowerCase()),
  }
  cache.set(info, listing)
  return listing
}

/** Facets of an event about one token. */
export const tokenFacets = ({ id, condition, info }: TokenName): Facets => ({
  ...noFacets,
  tokens: [id],
  conditions: fromNullable(condition),
  ...listingOf(info),
})
