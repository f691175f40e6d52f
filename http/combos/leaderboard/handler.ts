import { Clock, Effect } from "effect"
import { Leaderboards } from "#src/leaderboards/Leaderboards.ts"
import { boardSorts, readPage, readSort } from "../../leaderboards/boardInput.ts"
import { boardResponse, unavailableBoard } from "../../leaderboards/responses.ts"
import { boardPage } from "../../leaderboards/translate.ts"
import type { RequestOf } from "../../server/RequestOf.ts"
import type { CombosGroup } from "../group.ts"
import { origin } from "../lists.ts"

export const leaderboardHandler = Effect.map(Leaderboards, (boards) =>
  Effect.fnUntraced(function* ({ query }: RequestOf<typeof CombosGroup, "leaderboard">) {
    const start = yield* Clock.currentTimeMillis
    const { period = "all" } = query
    const { sort, name } = yield* readSort(period, query.sort, boardSorts)
    const page = yield* readPage(period, query)
    const scope = { kind: "combos" } as const
    const wanted = { period, sort, withPartial: false, scope, ranks: page.offset + page.limit }
    const found = yield* Effect.catch(boards.board(wanted), (failure) =>
      failure._tag === "UnknownName" ? Effect.die(failure) : unavailableBoard(failure),
    )
    return yield* boardResponse(boardPage(found, page), start, { period, sort: name, ...origin })
  }),
)
