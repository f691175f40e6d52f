import { Effect } from "effect"
import type { MarketLookup } from "#src/catalogue/MarketLookup.ts"
import { type FilteredFacet, missingFacets } from "#src/feed/filters/missingFacets.ts"
import type { EventType } from "#src/feed/model.ts"
import type { Filters } from "#src/streams/protocol/client.ts"
import { warning } from "../channel/warnings.ts"

const facetOf = {
  wallets: "wallets",
  tokens: "tokens",
  slugs: "conditions",
  condition_ids: "conditions",
  side: "side",
  min_usd: "size",
  max_usd: "size",
  min_size: "size",
  max_size: "size",
} as const satisfies Partial<Record<keyof Filters, FilteredFacet>>

/** Warnings about filters that no event of some subscribed types can match. */
export const unmatchable = (types: Iterable<EventType>, filters: Filters): ReadonlyArray<string> => {
  const subscribed = [...types]
  return (Object.keys(facetOf) as Array<keyof typeof facetOf>)
    .filter((name) => filters[name] !== undefined)
    .flatMap((name) =>
      warning(
        "cannot_match",
        `because of the filter ${name}, nothing comes of type`,
        subscribed.filter((type) => missingFacets[type]?.includes(facetOf[name])),
      ),
    )
}

/** Warnings about tokens without a market. They are only a hint: without Postgres, subscribing works all the same. */
export const unknownTokens = (lookup: MarketLookup["Service"], tokens: ReadonlyArray<string> = []) =>
  lookup.listedTokens(tokens).pipe(
    Effect.timeout("5 seconds"),
    Effect.map((known) =>
      warning(
        "unresolved_tokens",
        "no market is known for",
        tokens.filter((token) => !known.has(token)),
      ),
    ),
    Effect.orElseSucceed((): ReadonlyArray<string> => []),
  )
