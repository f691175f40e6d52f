import { Effect } from "effect"
import { Combos } from "#src/combos/Combos.ts"
import { PositionPages } from "#src/positions/list/PositionPages.ts"
import { placeIn, refusal as positionRefusal, sortNamed } from "../../positions/list/translate.ts"
import { filterOf } from "../../positions/translate.ts"
import type { RequestOf } from "../../server/RequestOf.ts"
import { pagedLists } from "../../v3/pages.ts"
import type { CombosGroup } from "../group.ts"
import { readFilter } from "../input.ts"
import { origin } from "../lists.ts"
import { Position } from "../shapes.ts"
import { refusal, shownPosition } from "../translate.ts"

const format = {
  list: "combos/positions",
  key: "positions",
  columns: Object.keys(Position.fields),
  covers: "positions",
} as const

export const positionsHandler = Effect.gen(function* () {
  const combos = yield* Combos
  const positions = yield* PositionPages
  const paged = yield* pagedLists
  return Effect.fnUntraced(function* ({ params: { address }, query }: RequestOf<typeof CombosGroup, "positions">) {
    const combo = yield* readFilter(query)
    const { condition, position } = combo
    yield* Effect.catch(combos.check(combo), refusal)
    return yield* paged({ ...format, subject: { address } }, query, ({ behind, ...page }, filters) =>
      Effect.gen(function* () {
        const { sort = "recent", status, min_size } = filters
        const size = { ...(status && { status }), ...(min_size === undefined ? {} : { min_size }) }
        const wanted = {
          ...page,
          wallet: address,
          filter: { ...filterOf(size), conditionId: condition, tokenId: position },
          withCombos: true,
          onlyCombos: true,
          sort: sortNamed(sort),
          behind: placeIn(behind),
        }
        const { positions: found, next, asOf } = yield* Effect.catch(positions.page(wanted), positionRefusal)
        const conditions = new Set(found.map((each) => each.condition))
        const details = yield* Effect.catch(combos.details(conditions), refusal)
        return {
          rows: found.map((each) => shownPosition(each, details.get(each.condition))),
          next: next && [next.sort, next.token, next.wallet],
          asOf,
          more: origin,
        }
      }),
    )
  })
})
