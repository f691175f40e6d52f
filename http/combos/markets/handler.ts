import { Effect } from "effect"
import { Combos } from "#src/combos/Combos.ts"
import type { RequestOf } from "../../server/RequestOf.ts"
import { pagedLists } from "../../v3/pages.ts"
import type { CombosGroup } from "../group.ts"
import { readFilter } from "../input.ts"
import { origin } from "../lists.ts"
import { Market } from "../shapes.ts"
import { refusal, shownMarket } from "../translate.ts"

const format = { list: "combos/markets", key: "markets", columns: Object.keys(Market.fields), covers: "facts" } as const

const placeIn = (position: ReadonlyArray<bigint> | undefined) => {
  const [block = 0n, logIndex = 0n] = position ?? []
  return position && { block: Number(block), logIndex: Number(logIndex) }
}

export const marketsHandler = Effect.gen(function* () {
  const combos = yield* Combos
  const paged = yield* pagedLists
  return Effect.fnUntraced(function* ({ query }: RequestOf<typeof CombosGroup, "markets">) {
    const { condition, conditionParameter } = yield* readFilter(query)
    return yield* paged(format, query, ({ behind, ...page }, { status = "all" }) =>
      Effect.map(
        Effect.catch(
          combos.markets({ ...page, condition, conditionParameter, status, behind: placeIn(behind) }),
          refusal,
        ),
        ({ rows, next, asOf }) => ({
          rows: rows.map(shownMarket),
          next: next && [next.block, next.logIndex],
          asOf,
          more: origin,
        }),
      ),
    )
  })
})
