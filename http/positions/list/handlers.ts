import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { isAtLeast } from "#src/domain/Plan.ts"
import type { PositionSort } from "#src/positions/list/model.ts"
import { PositionPages } from "#src/positions/list/PositionPages.ts"
import type { PositionFilter } from "#src/positions/PositionFilter.ts"
import { Api } from "../../Api.ts"
import { CurrentCaller } from "../../middleware/AccessControl.ts"
import { type PageParameters, pagedLists } from "../../v3/pages.ts"
import { listLimit } from "../../v3/parameters.ts"
import { type FilterParameters, filterOf } from "../translate.ts"
import { comboColumns, holderColumns, positionColumns, positionTypes } from "./shapes.ts"
import { placeIn, refusal, shownHolder, shownPosition, shownWithType, sortNamed } from "./translate.ts"

interface Given extends PageParameters, FilterParameters {
  readonly event_slug?: string
  readonly sort?: PositionSort | "pnl"
  readonly include_combos?: "true" | "false"
}

export const PositionPagesHandlers = HttpApiBuilder.group(
  Api,
  "positionPages",
  Effect.fnUntraced(function* (handlers) {
    const pages = yield* PositionPages
    const paged = yield* pagedLists

    const positions = (given: Given, wallet: string | undefined, byDefault: PositionSort) => {
      const withCombos = given.include_combos === "true"
      const columns = withCombos ? comboColumns : positionColumns
      const format = {
        key: "positions",
        columns: wallet === undefined ? ["wallet", ...columns] : columns,
        ...(wallet === undefined ? {} : { subject: { address: wallet } }),
        covers: "positions" as const,
      }
      return paged(format, given, ({ behind, ...page }, { sort = byDefault, event_slug, ...filters }) => {
        const filter = { ...filterOf(filters), eventSlug: event_slug }
        const query = { ...page, wallet, filter, withCombos, sort: sortNamed(sort), behind: placeIn(behind) }
        return Effect.map(Effect.catch(pages.page(query), refusal), ({ positions: found, next, asOf }) => {
          const rows = found.map((position) => ({
            ...(wallet === undefined && { wallet: position.wallet }),
            ...(withCombos ? shownWithType(position) : shownPosition(position)),
          }))
          const more = {
            include_combos: true,
            included_position_types: positionTypes,
            combo_position_count: found.filter(({ legs }) => legs !== undefined).length,
          }
          return { rows, next: next && [next.sort, next.token, next.wallet], asOf, ...(withCombos && { more }) }
        })
      })
    }

    const holders = (
      given: Given,
      market: PositionFilter,
      subject: Readonly<Record<string, string>>,
      byDefault: PositionSort | "pnl",
    ) => {
      const format = { key: "data", columns: holderColumns, subject, covers: "positions" as const }
      return paged(format, given, ({ behind, ...page }, { sort = byDefault, ...filters }) => {
        const filter = { ...filterOf(filters), ...market }
        const query = { ...page, filter, withCombos: true, sort: sortNamed(sort), behind: placeIn(behind) }
        return Effect.map(Effect.catch(pages.page(query), refusal), ({ positions: found, next, asOf }) => ({
          rows: found.map(shownHolder),
          next: next && [next.sort, next.token, next.wallet],
          asOf,
        }))
      })
    }

    return handlers
      .handleRaw("all", ({ query }) => positions(query, undefined, "recent"))
      .handleRaw("ofWallet", ({ params: { address }, query }) => positions(query, address, "realized_pnl"))
      .handleRaw("ofToken", ({ params: { token_id }, query }) =>
        holders(query, { tokenId: token_id }, { token_id }, "pnl"),
      )
      .handleRaw("ofCondition", ({ params: { condition_id }, query }) =>
        Effect.flatMap(CurrentCaller, ({ plan }) => {
          const most = isAtLeast(plan, "growth") ? Number.POSITIVE_INFINITY : listLimit.max
          const limit = Math.min(query.limit ?? listLimit.default, most)
          return holders({ ...query, limit }, { conditionId: condition_id }, { condition_id }, "pnl")
        }),
      )
      .handleRaw("ofSlug", ({ params: { slug }, query }) =>
        holders(query, { marketSlug: slug }, { slug }, "realized_pnl"),
      )
  }),
)
