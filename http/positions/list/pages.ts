import { Effect } from "effect"
import type { PositionSort } from "#src/positions/list/model.ts"
import { PositionPages } from "#src/positions/list/PositionPages.ts"
import type { PositionFilter } from "#src/positions/PositionFilter.ts"
import { type PageParameters, pagedLists } from "../../v3/pages.ts"
import { type FilterParameters, filterOf } from "../translate.ts"
import { comboColumns, holderColumns, positionColumns, positionTypes } from "./shapes.ts"
import { placeIn, refusal, shownHolder, shownPosition, shownWithType, sortNamed } from "./translate.ts"

interface Given extends PageParameters, FilterParameters {
  readonly event_slug?: string
  readonly sort?: PositionSort | "pnl"
  readonly include_combos?: "true" | "false"
}

/** Answers with a page of positions: of everybody or a wallet, or of the holders of a market. */
export const positionAnswers = Effect.gen(function* () {
  const pages = yield* PositionPages
  const paged = yield* pagedLists

  const positions = (given: Given, wallet: string | undefined, byDefault: PositionSort) => {
    const withCombos = given.include_combos === "true"
    const columns = withCombos ? comboColumns : positionColumns
    const format = {
      list: "positions",
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
    const format = { list: "holders", key: "data", columns: holderColumns, subject, covers: "positions" as const }
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

  return { positions, holders }
})
