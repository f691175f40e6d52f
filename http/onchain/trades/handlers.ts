import { Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Api } from "../../Api.ts"
import { tradeLimit } from "./group.ts"
import { readQuery } from "./input.ts"
import { byCursor, byKey, tradePages } from "./pages.ts"
import { shownFill, shownNames, shownTrade, shownWalletFill } from "./translate.ts"

const newestFirst = { order: "desc", sortBy: "timestamp", byOrder: false } as const

export const OnchainTradesHandlers = HttpApiBuilder.group(
  Api,
  "onchainTrades",
  Effect.fnUntraced(function* (handlers) {
    const read = yield* tradePages
    return handlers
      .handleRaw("trades", ({ query }) =>
        Effect.gen(function* () {
          const { limit = tradeLimit.default, pagination_key, ...given } = query
          const wanted = { ...(yield* readQuery(given)), limit }
          const { trades, nextCursor, rest, pagination, headers } = yield* read(given, byKey(pagination_key), wanted)
          const turn = { ...pagination, pagination_key: nextCursor }
          const body = { ...rest, pagination: turn, trades: trades.map(shownTrade) }
          return HttpServerResponse.jsonUnsafe(body, { headers })
        }),
      )
      .handleRaw("ofWallet", ({ params: { address }, query: { limit = tradeLimit.default, cursor } }) =>
        Effect.gen(function* () {
          const wanted = { ...newestFirst, filter: { wallet: address }, limit }
          const { trades, nextCursor, rest, pagination, headers } = yield* read({ address }, byCursor(cursor), wanted)
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
          const { trades, nextCursor, rest, pagination, headers } = yield* read({ token_id }, byCursor(cursor), wanted)
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
