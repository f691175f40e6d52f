import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { UnknownName } from "#src/catalogue/NameStore.ts"
import { Tags } from "#src/catalogue/Tags.ts"
import { Markets } from "#src/markets/Markets.ts"
import { TagMarkets, type TagPlace } from "#src/markets/TagMarkets.ts"
import { Api } from "../../Api.ts"
import { suggestionFor } from "../../input/unknownName.ts"
import type { Unavailable } from "../../server/errors.ts"
import { pagedLists } from "../../v3/pages.ts"
import { Market, NoTag, TagCount } from "../shapes.ts"
import { shownMarket, storeFailed } from "../translate.ts"
import { placeOfTag, tagsBehind } from "./tagPlace.ts"

const noTag = (failure: UnknownName) =>
  new NoTag({
    error: failure.message,
    tag: failure.value.slice(0, 100),
    hint: `${suggestionFor(failure)}GET /v3/tags lists all tags. They are case-sensitive.`,
  })

const refusal = (failure: UnknownName | SqlError): Effect.Effect<never, NoTag | Unavailable> =>
  failure._tag === "UnknownName" ? Effect.fail(noTag(failure)) : storeFailed(failure)

const positionOf = ({ part, last }: TagPlace) => [
  last.value,
  last.id,
  ...(part === undefined ? [] : [part.value, part.id]),
]

const placeIn = (position: ReadonlyArray<bigint> | undefined): TagPlace | undefined => {
  const ranked = (value: bigint | undefined, id: bigint | undefined) =>
    value === undefined || id === undefined ? undefined : { value, id: Number(id) }
  const [value, id, partValue, partId] = position ?? []
  const last = ranked(value, id)
  return last && { last, part: ranked(partValue, partId) }
}

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
        paged({ key: "tags", columns: Object.keys(TagCount.fields), covers: "facts" }, query, (page) =>
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
          { key: "data", columns: Object.keys(Market.fields), subject: { tag: slug }, covers: "facts" },
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
