import { Effect } from "effect"
import { Builders } from "#src/builders/Builders.ts"
import type { Builder } from "#src/builders/model.ts"
import { TradeLists } from "#src/trades/list/TradeLists.ts"
import { BadInput } from "../../server/errors.ts"
import {
  type FilterParameters,
  filterOf,
  placeIn,
  positionOf,
  refusal,
  shownTrade,
} from "../../trades/list/translate.ts"
import { type PageParameters, pagedLists } from "../../v3/pages.ts"
import { BuilderTrade } from "../shapes.ts"
import { shownIdentity, storeFailed } from "../translate.ts"
import { broadest, named } from "./parameters.ts"

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

/** A page of the fills of a builder's orders. */
export const tradesHandler = Effect.gen(function* () {
  const builders = yield* Builders
  const lists = yield* TradeLists
  const paged = yield* pagedLists
  return Effect.fnUntraced(function* (builder: Builder, given: Given) {
    if (isBroad(given)) {
      const fills = yield* Effect.catch(builders.fillsWithin(builder, given.after, given.before), storeFailed)
      if (fills > broadest) return yield* tooBroad(given, fills)
    }
    const { builder: code, ...identity } = shownIdentity(builder)
    return yield* paged(
      { list: "builder-trades", key: "trades", columns, subject: { builder: code }, covers: "facts" },
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
})
