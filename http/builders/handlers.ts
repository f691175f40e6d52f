import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Builders } from "#src/builders/Builders.ts"
import type { BuilderPlace } from "#src/builders/TotalStore.ts"
import { Api } from "../Api.ts"
import { objectAnswers } from "../v3/objects.ts"
import { pagedLists } from "../v3/pages.ts"
import { activityHandlers } from "./activity/handler.ts"
import { leaderboardHandler } from "./leaderboard/handler.ts"
import { readBoardInput } from "./leaderboard/input.ts"
import { BuilderRow } from "./shapes.ts"
import { readSort } from "./sort.ts"
import { tradesHandler } from "./trades/handler.ts"
import { notFound, shownBuilder, shownDetail, shownTotals, storeFailed } from "./translate.ts"

const placeIn = ([value, builder]: ReadonlyArray<bigint> = []): BuilderPlace | undefined =>
  value === undefined || builder === undefined ? undefined : { value, builder: Number(builder) }

const format = { list: "builders", key: "builders", columns: Object.keys(BuilderRow.fields), covers: "facts" } as const

export const BuildersHandlers = HttpApiBuilder.group(
  Api,
  "builders",
  Effect.fnUntraced(function* (handlers) {
    const builders = yield* Builders
    const paged = yield* pagedLists
    const object = yield* objectAnswers
    const leaderboard = yield* leaderboardHandler
    const trades = yield* tradesHandler
    const activity = yield* activityHandlers
    const find = (code: string) => Effect.catch(builders.find(code), notFound)

    return handlers
      .handleRaw("list", ({ query }) =>
        Effect.flatMap(readSort(query), (given) =>
          paged(format, given, ({ behind, ...page }, { sort }) =>
            Effect.map(
              Effect.catch(builders.list({ ...page, sort, behind: placeIn(behind) }), storeFailed),
              ({ rows, next, asOf, ...sums }) => ({
                rows: rows.map(shownBuilder),
                next: next && [next.value, next.builder],
                asOf,
                more: shownTotals(sums),
              }),
            ),
          ),
        ),
      )
      .handleRaw("detail", ({ params: { code } }) =>
        Effect.flatMap(find(code), (builder) =>
          object(
            "facts",
            Effect.map(Effect.catch(builders.totals(builder), storeFailed), ({ figures, asOf }) => ({
              body: shownDetail(builder, figures),
              asOf,
            })),
          ),
        ),
      )
      .handleRaw("trades", ({ params: { code }, query }) =>
        Effect.flatMap(find(code), (builder) => trades(builder, query)),
      )
      .handleRaw("activity", ({ params: { code }, query }) =>
        Effect.flatMap(find(code), (builder) => activity.ofBuilder(builder, query)),
      )
      .handleRaw("routed", ({ query }) => activity.ofAll(query))
      .handleRaw("leaderboard", ({ params: { code }, query }) =>
        Effect.flatMap(find(code), (builder) => leaderboard(builder, readBoardInput(query))),
      )
  }),
)
