import { Clock, Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { LedgerCoverage } from "#src/ledger/coverage/LedgerCoverage.ts"
import { shownCoverage } from "#src/ledger/coverage/shape.ts"
import type { TradeQuery } from "#src/trades/list/model.ts"
import { TradeLists } from "#src/trades/list/TradeLists.ts"
import { Api } from "../../Api.ts"
import { filterOf, ordersByTime, placeIn, positionOf, refusal } from "../../trades/list/translate.ts"
import { ageHeaders, shownAsOf } from "../../v3/answer.ts"
import { Cursors, type ListedQuery } from "../../v3/cursor.ts"
import { emptyRange } from "../../v3/parameters.ts"
import { tradeLimit } from "./group.ts"
import { shownFill, shownTrade, shownWalletFill } from "./translate.ts"

type Wanted = Omit<TradeQuery, "behind" | "offset">
const newestFirst = { order: "desc", sortBy: "timestamp", byOrder: false } as const

export const OnchainTradesHandlers = HttpApiBuilder.group(
  Api,
  "onchainTrades",
  Effect.fnUntraced(function* (handlers) {
    const lists = yield* TradeLists
    const cursors = yield* Cursors
    const ledger = yield* LedgerCoverage

    /** A page, the cursor of the next one, and the fields that every answer has. */
    const read = Effect.fnUntraced(function* (given: ListedQuery, cursor: string | undefined, wanted: Wanted) {
      const behind = cursor === undefined ? undefined : yield* cursors.open(given, cursor)
      // Read before the trades, which then cover at least that.
      const covered = yield* Effect.catch(ledger.now, refusal)
      const query = { ...wanted, behind: placeIn(behind), offset: 0 }
      const { trades, next, asOf } = yield* Effect.catch(lists.page(query), refusal)
      const nextCursor = next === undefined ? null : yield* cursors.issue(given, positionOf(next))
      const rest = { count: trades.length, as_of: shownAsOf(asOf), coverage: shownCoverage(covered?.facts) }
      const headers = ageHeaders(asOf, yield* Clock.currentTimeMillis)
      const pagination = { limit: wanted.limit, has_more: next !== undefined }
      return { trades, nextCursor, rest, pagination, headers }
    })

    return handlers
      .handleRaw("trades", ({ query }) =>
        Effect.gen(function* () {
          const { limit = tradeLimit.default, pagination_key, ...given } = query
          const { order = "desc", sort_by: sortBy = "timestamp", group_by, wallet, ...filters } = given
          const { start_time: after, end_time, min_total: min_amount_usd, ...names } = filters
          if (group_by !== undefined && sortBy !== "timestamp") return yield* ordersByTime
          const before = end_time === undefined ? undefined : end_time + 1
          const refused = emptyRange({ after, before }, ["start_time", "end_time"])
          if (refused !== undefined) return yield* refused
          const filter = { ...filterOf({ ...names, min_amount_usd }), wallet, after, before }
          const wanted = { filter, order, sortBy, limit, byOrder: group_by !== undefined }
          const { trades, nextCursor, rest, pagination, headers } = yield* read(given, pagination_key, wanted)
          const body = {
            ...rest,
            pagination: { ...pagination, pagination_key: nextCursor },
            trades: trades.map(shownTrade),
          }
          return HttpServerResponse.jsonUnsafe(body, { headers })
        }),
      )
      .handleRaw("ofWallet", ({ params: { address }, query: { limit = tradeLimit.default, cursor } }) =>
        Effect.gen(function* () {
          const wanted = { ...newestFirst, filter: { wallet: address }, limit }
          const { trades, nextCursor, rest, pagination, headers } = yield* read({ address }, cursor, wanted)
          const body = {
            wallet: address,
            source: "onchain",
            ...rest,
            pagination: { ...pagination, cursor: nextCursor },
            trades: trades.map(shownWalletFill),
          }
          return HttpServerResponse.jsonUnsafe(body, { headers })
        }),
      )
      .handleRaw("ofToken", ({ params: { token_id }, query: { limit = tradeLimit.default, cursor } }) =>
        Effect.gen(function* () {
          const wanted = { ...newestFirst, filter: { tokenId: token_id }, limit }
          const { trades, nextCursor, rest, pagination, headers } = yield* read({ token_id }, cursor, wanted)
          const [first] = trades
          const body = {
            token_id,
            source: "onchain",
            ...rest,
            market: first?.title ?? null,
            slug: first?.slug ?? null,
            outcome: first?.outcome ?? null,
            image: first?.image ?? null,
            condition_id: first?.condition ?? null,
            pagination: { ...pagination, cursor: nextCursor },
            trades: trades.map(shownFill),
          }
          return HttpServerResponse.jsonUnsafe(body, { headers })
        }),
      )
  }),
)
