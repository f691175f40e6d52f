import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { MarketSearch } from "#src/markets/MarketSearch.ts"
import type { SearchPlace } from "#src/search/Search.ts"
import { wordsOf } from "#src/search/words.ts"
import { Api } from "../../Api.ts"
import { pagedLists } from "../../v3/pages.ts"
import { shownMarket, storeFailed } from "../translate.ts"
import { FoundMarket } from "./shapes.ts"

const positionOf = ({ stage, rank, id, seen, part: { from, isRest } }: SearchPlace) => [
  ...[stage, rank, id, seen, isRest ? 1 : 0],
  ...(from === undefined ? [] : [from.rank, from.id]),
]

const placeIn = (position: ReadonlyArray<bigint> | undefined): SearchPlace | undefined => {
  if (position === undefined) return undefined
  const [stage = 0, rank = 0, id = 0, seen = 0, isRest = 0, fromRank, fromId] = position.map(Number)
  const from = fromRank === undefined || fromId === undefined ? undefined : { rank: fromRank, id: fromId }
  return { stage, rank, id, seen, part: { from, isRest: isRest === 1 } }
}

export const MarketSearchHandlers = HttpApiBuilder.group(
  Api,
  "marketSearch",
  Effect.fnUntraced(function* (handlers) {
    const markets = yield* MarketSearch
    const paged = yield* pagedLists
    return handlers.handleRaw("search", ({ query }) =>
      paged(
        { list: "market-search", key: "data", columns: Object.keys(FoundMarket.fields), covers: "facts" },
        query,
        ({ limit, offset, behind }, { q }) =>
          Effect.map(
            Effect.catch(markets.page({ text: q, limit, offset, behind: placeIn(behind) }), storeFailed),
            ({ found, asOf }) => ({
              rows: found.markets.map((market) => ({ ...shownMarket(market), match: market.match })),
              next: found.next && positionOf(found.next),
              asOf,
              more: { query: wordsOf(q).join(" ") },
            }),
          ),
      ),
    )
  }),
)
