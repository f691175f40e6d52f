import { Clock, Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Tags } from "#src/catalogue/Tags.ts"
import type { Ranking, Snapshot } from "#src/leaderboards/BoardQuery.ts"
import type { BoardRows } from "#src/leaderboards/BoardRows.ts"
import { Leaderboards } from "#src/leaderboards/Leaderboards.ts"
import { Api } from "../Api.ts"
import { boardSorts, readPage, readScope, readSort, tagBoardSorts } from "./boardInput.ts"
import { type Page, type ScopeQuery, scoped, scopeLimit } from "./parameters.ts"
import { boardResponse, refusal, storeFailed, unavailableBoard } from "./responses.ts"
import { boardPage, boardPageWithPayments, shownScopes, shownTags, tagBoardPage } from "./translate.ts"

export const LeaderboardsHandlers = HttpApiBuilder.group(
  Api,
  "leaderboards",
  Effect.fnUntraced(function* (handlers) {
    const boards = yield* Leaderboards
    const tags = yield* Tags

    const boardOf = ({ scope }: ScopeQuery, ranking: Ranking, { offset, limit }: Page) =>
      Effect.catch(boards.board({ ...ranking, scope, ranks: offset + limit }), refusal)
    const paymentsOn = ({ rows, at }: Snapshot<BoardRows>, { offset, limit }: Page) => {
      const wallets = rows.slice(offset, offset + limit).map(({ wallet }) => wallet)
      return Effect.catch(boards.payments(wallets, at), storeFailed)
    }

    return handlers
      .handleRaw("scopes", ({ query }) =>
        Effect.gen(function* () {
          const { period, scope, q = null, limit = scopeLimit.default, offset = 0 } = query
          const page = { limit, offset }
          const found = yield* Effect.catch(boards.scopes(scope, period), unavailableBoard)
          return HttpServerResponse.jsonUnsafe({ ...shownScopes(found, q, page), period, scope, query: q })
        }),
      )
      .handleRaw("board", ({ query }) =>
        Effect.gen(function* () {
          const start = yield* Clock.currentTimeMillis
          const { period = "all" } = query
          const { sort, name } = yield* readSort(period, query.sort, boardSorts)
          const scope = yield* readScope(query)
          const page = yield* readPage(period, query)
          const ranking = { period, sort, withPartial: query.include_partial === "true" }
          const found = yield* boardOf(scope, ranking, page)
          const shown =
            query.include === undefined
              ? boardPage(found, page)
              : boardPageWithPayments(found, page, yield* paymentsOn(found, page))
          return yield* boardResponse(shown, start, {
            period,
            sort: name,
            scope: scope.name,
            value: scope.value,
            // Open positions are valued at the prices of the counted block.
            prices_as_of: shown.envelope.as_of,
          })
        }),
      )
      .handleRaw("tagBoard", ({ params, query }) =>
        Effect.gen(function* () {
          const start = yield* Clock.currentTimeMillis
          const { period = "all" } = query
          const { sort, name } = yield* readSort(period, query.sort, tagBoardSorts)
          const page = yield* readPage(period, query)
          const ranking = { period, sort, withPartial: query.include_partial === "true" }
          const shown = tagBoardPage(yield* boardOf(scoped("tag")(params.slug), ranking, page), page)
          return yield* boardResponse(shown, start, { period, sort: name, tag: params.slug })
        }),
      )
      .handleRaw("tags", ({ query }) =>
        Effect.map(Effect.catch(tags.all, storeFailed), (all) => HttpServerResponse.jsonUnsafe(shownTags(all, query))),
      )
  }),
)
