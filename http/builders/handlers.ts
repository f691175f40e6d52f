import { Clock, Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Builders } from "#src/builders/Builders.ts"
import type { Builder, BuilderDay, Listed } from "#src/builders/model.ts"
import type { BuilderPlace } from "#src/builders/TotalStore.ts"
import { decimalAmount } from "#src/domain/amounts.ts"
import { LedgerCoverage } from "#src/ledger/coverage/LedgerCoverage.ts"
import { shownCoverage } from "#src/ledger/coverage/shape.ts"
import { TradeLists } from "#src/trades/list/TradeLists.ts"
import { Api } from "../Api.ts"
import { objectResponse } from "../v3/answer.ts"
import { Cursors } from "../v3/cursor.ts"
import { pagedLists, type WantedPage } from "../v3/pages.ts"
import { boardAnswer } from "./board.ts"
import { readBoardInput } from "./boardInput.ts"
import { ActivityDay, BuilderRow, RoutedDay } from "./shapes.ts"
import { tradesAnswer } from "./trades.ts"
import {
  notFound,
  shownActivity,
  shownBuilder,
  shownDetail,
  shownIdentity,
  shownRoutedDay,
  storeFailed,
  volumeOf,
} from "./translate.ts"

const placeIn = ([value, builder]: ReadonlyArray<bigint> = []): BuilderPlace | undefined =>
  value === undefined || builder === undefined ? undefined : { value, builder: Number(builder) }

interface Range {
  readonly after?: number
  readonly before?: number
}

const dayQuery = ({ behind, ...page }: WantedPage, { after, before }: Range) => ({
  ...page,
  behind: behind?.[0] === undefined ? undefined : Number(behind[0]),
  after,
  before,
})

const nextDay = <A extends BuilderDay>({ rows, hasMore }: Listed<A>) => {
  const last = rows.at(-1)
  return hasMore && last !== undefined ? [last.day] : undefined
}

export const BuildersHandlers = HttpApiBuilder.group(
  Api,
  "builders",
  Effect.fnUntraced(function* (handlers) {
    const builders = yield* Builders
    const ledger = yield* LedgerCoverage
    const paged = yield* pagedLists
    const board = boardAnswer({ builders, ledger, cursors: yield* Cursors })
    const trades = tradesAnswer({ builders, paged, lists: yield* TradeLists })
    const find = (code: string) => Effect.catch(builders.find(code), notFound)

    const detail = Effect.fnUntraced(function* (builder: Builder) {
      const start = yield* Clock.currentTimeMillis
      // Read before the rest, which then covers at least that.
      const covered = yield* Effect.catch(ledger.now, storeFailed)
      const { figures, asOf } = yield* Effect.catch(builders.totals(builder), storeFailed)
      const now = yield* Clock.currentTimeMillis
      return objectResponse(shownDetail(builder, figures), {
        asOf,
        coverage: shownCoverage(covered?.facts),
        start,
        now,
      })
    })

    return handlers
      .handleRaw("list", ({ query }) =>
        paged(
          { key: "builders", columns: Object.keys(BuilderRow.fields), covers: "facts" },
          { ...query, list: "builders" },
          ({ behind, ...page }, { sort_by = "volume" }) =>
            Effect.map(
              Effect.catch(builders.list({ ...page, sort: sort_by, behind: placeIn(behind) }), storeFailed),
              ({ rows, next, every, none, asOf }) => ({
                rows: rows.map(shownBuilder),
                next: next && [next.value, next.builder],
                asOf,
                more: {
                  total_volume: decimalAmount(volumeOf(every)),
                  total_volume_e6: String(volumeOf(every)),
                  total_users: every.users,
                  unattributed_volume: decimalAmount(volumeOf(none)),
                  unattributed_volume_e6: String(volumeOf(none)),
                },
              }),
            ),
        ),
      )
      .handleRaw("detail", ({ params: { code } }) => Effect.flatMap(find(code), detail))
      .handleRaw("trades", ({ params: { code }, query }) =>
        Effect.flatMap(find(code), (builder) => trades(builder, query)),
      )
      .handleRaw("activity", ({ params: { code }, query }) =>
        Effect.flatMap(find(code), (builder) => {
          const { builder: subject, ...identity } = shownIdentity(builder)
          return paged(
            {
              key: "activity",
              columns: Object.keys(ActivityDay.fields),
              subject: { builder: subject },
              covers: "facts",
            },
            { ...query, list: "builder-activity" },
            (page, range) =>
              Effect.map(Effect.catch(builders.days(builder, dayQuery(page, range)), storeFailed), (found) => ({
                rows: found.rows.map(shownActivity),
                next: nextDay(found),
                asOf: found.asOf,
                more: identity,
              })),
          )
        }),
      )
      .handleRaw("routed", ({ query }) =>
        paged(
          { key: "activity", columns: Object.keys(RoutedDay.fields), covers: "facts" },
          { ...query, list: "routed-activity" },
          (page, range) =>
            Effect.map(Effect.catch(builders.routedDays(dayQuery(page, range)), storeFailed), (found) => ({
              rows: found.rows.map(shownRoutedDay),
              next: nextDay(found),
              asOf: found.asOf,
            })),
        ),
      )
      .handleRaw("leaderboard", ({ params: { code }, query }) =>
        Effect.flatMap(find(code), (builder) => board(builder, readBoardInput(query))),
      )
  }),
)
