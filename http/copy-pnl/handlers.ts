import { Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { CopyPools } from "#src/copy-pnl/CopyPools.ts"
import { mostFollowed, periodDays } from "#src/copy-pnl/model.ts"
import { rank } from "#src/copy-pnl/rank.ts"
import { Reports } from "#src/copy-pnl/reports/Reports.ts"
import { Api } from "../Api.ts"
import { unavailable } from "../errors.ts"
import { CurrentCaller } from "../middleware/Gate.ts"
import { readAddresses, readBody, readOrder, readPeriod, readPeriods, readSorting } from "./input.ts"
import { scoreBatch, scoreOne, tooManyAtATime } from "./onDemand.ts"
import { shownAdded, shownBoard, shownSnapshot } from "./translate.ts"

const away = unavailable("copy-pnl")
const defaultLimit = 100

export const CopyPnlHandlers = HttpApiBuilder.group(
  Api,
  "copyPnl",
  Effect.fnUntraced(function* (handlers) {
    const pools = yield* CopyPools
    const reports = yield* Reports

    return handlers
      .handleRaw("add", ({ request }) =>
        Effect.gen(function* () {
          const { account } = yield* CurrentCaller
          const wallets = yield* readAddresses(readBody(yield* Effect.orDie(request.text)))
          return shownAdded(yield* Effect.catch(pools.follow(account, wallets), away))
        }),
      )
      .handleRaw("remove", ({ request }) =>
        Effect.gen(function* () {
          const { account } = yield* CurrentCaller
          const wallets = yield* readAddresses(readBody(yield* Effect.orDie(request.text)))
          return { ...(yield* Effect.catch(pools.unfollow(account, wallets), away)), max: mostFollowed }
        }),
      )
      .handle(
        "list",
        Effect.fnUntraced(function* () {
          const { account } = yield* CurrentCaller
          const wallets = yield* Effect.catch(pools.list(account), away)
          return { wallets, count: wallets.length, max: mostFollowed }
        }),
      )
      .handle(
        "snapshot",
        Effect.fnUntraced(function* ({ query }) {
          const { account } = yield* CurrentCaller
          const periods = yield* readPeriods(query.periods)
          const days = periods.map((period) => periodDays[period])
          const followed = yield* Effect.catch(pools.followed(account, days), away)
          return HttpServerResponse.jsonUnsafe(shownSnapshot(followed, periods))
        }),
      )
      .handle(
        "leaderboard",
        Effect.fnUntraced(function* ({ query }) {
          const { account } = yield* CurrentCaller
          const { limit = defaultLimit, offset = 0, min_trade_count = 0 } = query
          const period = yield* readPeriod(query.period ?? "30d")
          const sort_by = yield* readSorting(query.sort_by ?? "backtest_copy_pnl_usdc")
          const order = yield* readOrder(query.order ?? "desc")
          const exclude_toxic = query.exclude_toxic === "true"
          const days = periodDays[period]
          const followed = yield* Effect.catch(pools.followed(account, [days]), away)
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
            filters: { min_trade_count, exclude_toxic },
            ...shownBoard(followed, board, { offset, limit }),
          })
        }),
      )
      .handle("one", ({ params, query: { include_trades, ...window } }) =>
        scoreOne(reports, { ...params, ...window, withTrades: include_trades === "true" }).pipe(
          Effect.map((body) => HttpServerResponse.jsonUnsafe(body)),
          Effect.catchTag("NoPlace", (full) => Effect.succeed(tooManyAtATime(full))),
        ),
      )
      .handleRaw("batch", ({ request }) =>
        Effect.gen(function* () {
          const body = readBody(yield* Effect.orDie(request.text))
          return HttpServerResponse.jsonUnsafe(yield* scoreBatch(reports, body))
        }).pipe(Effect.catchTag("NoPlace", (full) => Effect.succeed(tooManyAtATime(full)))),
      )
  }),
)
