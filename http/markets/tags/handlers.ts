import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Tags } from "#src/catalogue/Tags.ts"
import { Markets } from "#src/markets/Markets.ts"
import { TagMarkets } from "#src/markets/TagMarkets.ts"
import { Api } from "../../Api.ts"
import { pagedLists } from "../../v3/pages.ts"
import { Market, TagCount } from "../shapes.ts"
import { shownMarket, storeFailed } from "../translate.ts"
import { placeIn, placeOfTag, positionOf, refusal, tagsBehind } from "./translate.ts"

export const TagsHandlers = HttpApiBuilder.group(
  Api,
  "tags",
  Effect.fnUntraced(function* (handlers) {
    const tags = yield* Tags
    const tagMarkets = yield* TagMarkets
    const markets = yield* Markets
    const paged = yield* pagedLists

    return handlers
      .handleRaw("tags", ({ query }) =>
        paged({ list: "tags", key: "tags", columns: Object.keys(TagCount.fields), covers: "facts" }, query, (page) =>
          Effect.gen(function* () {
            const { limit, offset, behind } = page
            const all = tagsBehind(yield* Effect.catch(tags.all, storeFailed), behind)
            const shown = all.slice(offset, offset + limit)
            const last = shown.at(-1)
            return {
              rows: shown.map((tag) => ({ tag: tag.slug, market_count: tag.markets })),
              next: last && offset + limit < all.length ? placeOfTag(last) : undefined,
              asOf: yield* Effect.catch(markets.asOf, storeFailed),
            }
          }),
        ),
      )
      .handleRaw("markets", ({ params: { slug }, query }) =>
        paged(
          {
            list: "tag-markets",
            key: "data",
            columns: Object.keys(Market.fields),
            subject: { tag: slug },
            covers: "facts",
          },
          query,
          ({ limit, offset, behind }, { sort = "volume_all_time" }) =>
            Effect.map(
              Effect.catch(tagMarkets.page({ tag: slug, sort, limit, offset, behind: placeIn(behind) }), refusal),
              ({ found, asOf }) => ({
                rows: found.markets.map(shownMarket),
                next: found.next && positionOf(found.next),
                asOf,
              }),
            ),
        ),
      )
  }),
)
