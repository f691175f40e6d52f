import { Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { CopyPools } from "#src/copy-pnl/CopyPools.ts"
import { periods as allPeriods, mostFollowed, periodDays } from "#src/copy-pnl/model.ts"
import { rank } from "#src/copy-pnl/rank.ts"
import { Reports } from "#src/copy-pnl/reports/Reports.ts"
import { LedgerCoverage } from "#src/ledger/coverage/LedgerCoverage.ts"
import { shownCoverage } from "#src/ledger/coverage/shape.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../middleware/AccessControl.ts"
import { unavailable } from "../server/errors.ts"
import { boardLimit } from "./group.ts"
import { readAddresses, readBody } from "./input.ts"
import { scoreBatch, scoreOne, tooManyAtATime } from "./onDemand.ts"
import { shownAdded, shownBoard, shownSnapshot } from "./translate.ts"

const storeFailed = unavailable("copy-pnl")

export const CopyPnlHandlers = HttpApiBuilder.group(
  Api,
  "copyPnl",
  Effect.fnUntraced(function* (handlers) {
    const pools = yield* CopyPools
    const reports = yield* Reports
    const ledger = yield* LedgerCoverage
    const covered = Effect.catch(ledger.now, storeFailed)
    const coverage = Effect.map(covered, (now) => shownCoverage(now?.facts))
    // A report also has what was realized, which follows from positions.
    const source = { reports, coverage: Effect.map(covered, (now) => shownCoverage(now?.positions)) }

    return handlers
      .handleRaw("add", ({ request }) =>
        Effect.gen(function* () {
          const { account } = yield* CurrentCaller
          const wallets = yield* readAddresses(readBody(yield* Effect.orDie(request.text)))
          return shownAdded(yield* Effect.catch(pools.follow(account, wallets), storeFailed))
        }),
      )
      .handleRaw("remove", ({ request }) =>
        Effect.gen(function* () {
          const { account } = yield* CurrentCaller
          const wallets = yield* readAddresses(readBody(yield* Effect.orDie(request.text)))
          return { ...(yield* Effect.catch(pools.unfollow(account, wallets), storeFailed)), max: mostFollowed }
        }),
      )
      .handle(
        "list",
        Effect.fnUntraced(function* () {
          const { account } = yield* CurrentCaller
          const wallets = yield* Effect.catch(pools.list(account), storeFailed)
          return { wallets, count: wallets.length, max: mostFollowed }
        }),
      )
      .handle(
        "snapshot",
        Effect.fnUntraced(function* ({ query }) {
          const { account } = yield* CurrentCaller
          const { periods = allPeriods } = query
          const days = periods.map((period) => periodDays[period])
          const followed = yield* Effect.catch(pools.followed(account, days), storeFailed)
          return HttpServerResponse.jsonUnsafe({ coverage: yield* coverage, ...shownSnapshot(followed, periods) })
        }),
      )
      .handle(
        "leaderboard",
        Effect.fnUntraced(function* ({ query }) {
          const { account } = yield* CurrentCaller
          const { period = "30d", sort_by = "backtest_copy_pnl_usdc", order = "desc" } = query
          const { limit = boardLimit.default, offset = 0, min_trade_count = 0 } = query
          const exclude_toxic = query.exclude_toxic === "true"
          const days = periodDays[period]
          const followed = yield* Effect.catch(pools.followed(account, [days]), storeFailed)
          const board = rank(followed, {
            days,
            sortBy: sort_by,
            order,
            minTrades: min_trade_count,
            excludeToxic: exclude_toxic,
          })
          return HttpServerResponse.jsonUnsafe({
            period,
            sort_by,
            order,
            coverage: yield* coverage,
            filters: { min_trade_count, exclude_toxic },
            ...shownBoard(followed, board, { offset, limit }),
          })
        }),
      )
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
