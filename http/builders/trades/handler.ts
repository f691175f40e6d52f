import { Effect, Schema } from "effect"
import type { Builders } from "#src/builders/Builders.ts"
import type { Builder } from "#src/builders/model.ts"
import type { TradeLists } from "#src/trades/list/TradeLists.ts"
import { visibleText } from "../input/visibleText.ts"
import { BadInput } from "../server/errors.ts"
import { filters, ofTrade } from "../trades/list/parameters.ts"
import { type FilterParameters, filterOf, placeIn, positionOf, refusal, shownTrade } from "../trades/list/translate.ts"
import type { PageParameters, pagedLists } from "../v3/pages.ts"
import { pageOf, timeRange } from "../v3/parameters.ts"
import { BuilderTrade } from "./shapes.ts"
import { shownIdentity, storeFailed } from "./translate.ts"

/** Fills whose market may be looked up for its category or tags. */
export const broadest = 10_000n

const { token_id, condition_id, market_slug, event_slug, event_id } = filters
const named = { token_id, condition_id, market_slug, event_slug, event_id }

export const tradeParameters = {
  ...named,
  category: Schema.optionalKey(
    visibleText("a category").annotate({ description: "only trades of this category's markets, see below" }),
  ),
  tag_slug: Schema.optionalKey(
    visibleText("a tag").annotate({ description: "only trades of this tag's markets, see below" }),
  ),
  ...ofTrade,
  ...timeRange("trades"),
  ...pageOf("trades"),
}

type Given = PageParameters & FilterParameters & { readonly category?: string; readonly tag_slug?: string }

const isBroad = (given: Given) =>
  (given.category !== undefined || given.tag_slug !== undefined) &&
  Object.keys(named).every((name) => given[name as keyof typeof named] === undefined)

const tooBroad = (given: Given, fills: bigint) => {
  const param = given.category === undefined ? "tag_slug" : "category"
  return new BadInput({
    error: `Parameter "${param}": the builder has ${fills} fills in this time, and at most ${broadest} are searched for a category or a tag.`,
    param,
    hint: "Add `after` and `before` for a shorter time, or one of `event_slug`, `market_slug`, `condition_id` and `token_id`.",
  })
}

const columns = Object.keys(BuilderTrade.fields)

interface Services {
  readonly builders: Builders["Service"]
  readonly lists: TradeLists["Service"]
  readonly paged: Effect.Success<typeof pagedLists>
}

/** A page of the fills of a builder's orders. */
export const tradesAnswer = ({ builders, lists, paged }: Services) =>
  Effect.fnUntraced(function* (builder: Builder, given: Given) {
    if (isBroad(given)) {
      const fills = yield* Effect.catch(builders.fillsWithin(builder, given.after, given.before), storeFailed)
      if (fills > broadest) return yield* tooBroad(given, fills)
    }
    const { builder: code, ...identity } = shownIdentity(builder)
    return yield* paged(
      { key: "trades", columns, subject: { builder: code }, covers: "facts" },
      given,
      ({ behind, ...page }, { category, tag_slug, ...rest }) => {
        const filter = { ...filterOf(rest), category, tagSlug: tag_slug, builder: code }
        const found = lists.page({ ...page, filter, sortBy: "timestamp", behind: placeIn(behind), byOrder: false })
        return Effect.map(Effect.catch(found, refusal), ({ trades, next, asOf }) => ({
          rows: trades.map((trade) => ({ ...shownTrade(trade), ...identity })),
          next: next && positionOf(next),
          asOf,
          more: identity,
        }))
      },
    )
  })
