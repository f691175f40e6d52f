import { Clock, Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import type { TradeQuery } from "#src/trades/list/model.ts"
import { TradeLists } from "#src/trades/list/TradeLists.ts"
import { Api } from "../../Api.ts"
import { placeIn, positionOf, refusal } from "../../trades/list/translate.ts"
import { ageHeaders, shownAsOf } from "../../v3/answer.ts"
import { coverageOf } from "../../v3/coverageOf.ts"
import { Cursors, type ListedQuery } from "../../v3/cursor.ts"
import { tradeLimit } from "./group.ts"
import { readQuery } from "./input.ts"
import { shownFill, shownNames, shownTrade, shownWalletFill } from "./translate.ts"

type Wanted = Omit<TradeQuery, "behind" | "offset">
const newestFirst = { order: "desc", sortBy: "timestamp", byOrder: false } as const

export const OnchainTradesHandlers = HttpApiBuilder.group(
  Api,
  "onchainTrades",
  Effect.fnUntraced(function* (handlers) {
    const lists = yield* TradeLists
    const cursors = yield* Cursors
    const coverageNow = yield* coverageOf

    /** A page, the cursor of the next one, and the fields that every answer has. */
    const read = Effect.fnUntraced(function* (given: ListedQuery, cursor: string | undefined, wanted: Wanted) {
      const behind = cursor === undefined ? undefined : yield* cursors.open(given, cursor)
      const coverage = yield* coverageNow("facts")
      const query = { ...wanted, behind: placeIn(behind), offset: 0 }
      const { trades, next, asOf } = yield* Effect.catch(lists.page(query), refusal)
      const nextCursor = next === undefined ? null : yield* cursors.issue(given, positionOf(next))
      const rest = { count: trades.length, as_of: shownAsOf(asOf), coverage }
      const headers = ageHeaders(asOf, yield* Clock.currentTimeMillis)
      const pagination = { limit: wanted.limit, has_more: next !== undefined }
      return { trades, nextCursor, rest, pagination, headers }
    })

    return handlers
      .handleRaw("trades", ({ query }) =>
        Effect.gen(function* () {
          const { limit = tradeLimit.default, pagination_key, ...given } = query
          const wanted = { ...(yield* readQuery(given)), limit }
          const { trades, nextCursor, rest, pagination, headers } = yield* read(given, pagination_key, wanted)
          const turn = { ...pagination, pagination_key: nextCursor }
          const body = { ...rest, pagination: turn, trades: trades.map(shownTrade) }
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
          const body = {
            token_id,
            source: "onchain",
            ...rest,
            ...shownNames(trades[0]),
            pagination: { ...pagination, cursor: nextCursor },
            trades: trades.map(shownFill),
          }
          return HttpServerResponse.jsonUnsafe(body, { headers })
        }),
      )
  }),
)
