import { Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { CopyPools } from "#src/copy-pnl/CopyPools.ts"
import { periods as allPeriods, periodDays } from "#src/copy-pnl/model.ts"
import { Reports } from "#src/copy-pnl/reports/Reports.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../middleware/AccessControl.ts"
import { coverageOf } from "../v3/coverageOf.ts"
import { readBody } from "./input.ts"
import { leaderboardHandler } from "./leaderboard/handler.ts"
import { scoreBatch, scoreOne, tooManyAtATime } from "./onDemand.ts"
import { shownSnapshot, storeFailed } from "./translate.ts"
import { walletsHandlers } from "./wallets/handler.ts"

export const CopyPnlHandlers = HttpApiBuilder.group(
  Api,
  "copyPnl",
  Effect.fnUntraced(function* (handlers) {
    const pools = yield* CopyPools
    const wallets = yield* walletsHandlers
    const coverageNow = yield* coverageOf
    // A report also has what was realized, which follows from positions.
    const source = { reports: yield* Reports, coverage: coverageNow("positions") }

    return handlers
      .handleRaw("add", wallets.add)
      .handleRaw("remove", wallets.remove)
      .handle("list", wallets.list)
      .handle(
        "snapshot",
        Effect.fnUntraced(function* ({ query }) {
          const { account } = yield* CurrentCaller
          const { periods = allPeriods } = query
          const days = periods.map((period) => periodDays[period])
          const followed = yield* Effect.catch(pools.followed(account, days), storeFailed)
          const coverage = yield* coverageNow("facts")
          return HttpServerResponse.jsonUnsafe({ coverage, ...shownSnapshot(followed, periods) })
        }),
      )
      .handle("leaderboard", yield* leaderboardHandler)
      .handle("one", ({ params, query: { include_trades, depth, ...window } }) =>
        scoreOne(source, {
          ...params,
          ...window,
          withTrades: include_trades === "true",
          withDepth: depth === "true",
        }).pipe(
          Effect.map((body) => HttpServerResponse.jsonUnsafe(body)),
          Effect.catchTag("ConcurrencyExceeded", (full) => Effect.succeed(tooManyAtATime(full))),
        ),
      )
      .handleRaw("batch", ({ request }) =>
        Effect.gen(function* () {
          const body = readBody(yield* Effect.orDie(request.text))
          return HttpServerResponse.jsonUnsafe(yield* scoreBatch(source, body))
        }).pipe(Effect.catchTag("ConcurrencyExceeded", (full) => Effect.succeed(tooManyAtATime(full)))),
      )
  }),
)
