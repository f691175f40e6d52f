import { Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { PositionLists } from "#src/positions/PositionLists.ts"
import { Api } from "../Api.ts"
import { coverageOf } from "../v3/coverageOf.ts"
import { closedLimit, onchainLimit, walletLimit } from "./group.ts"
import { paginationKeyOf } from "./paginationKey.ts"
import { filterOf, notFound, shownClosed, shownOnchain, shownWallet } from "./translate.ts"

export const WalletsHandlers = HttpApiBuilder.group(
  Api,
  "wallets",
  Effect.fnUntraced(function* (handlers) {
    const lists = yield* PositionLists
    const coverageNow = (yield* coverageOf)("positions")
    return (
      handlers
        .handle(
          "closed",
          Effect.fnUntraced(function* ({ params: { address }, query }) {
            const { limit = closedLimit.default, offset = 0, sortBy = "TIMESTAMP", sortDirection = "DESC" } = query
            const closedQuery = {
              limit,
              offset,
              sortBy,
              direction: sortDirection,
              market: query.market,
              title: query.title,
            }
            const coverage = yield* coverageNow
            const positions = yield* Effect.catch(lists.closed(address, closedQuery), notFound)
            const shown = positions.map(shownClosed)
            return { wallet: address, count: shown.length, offset, limit, coverage, positions: shown }
          }),
        )
        // Not checked against the schema: for this many rows that would block other requests.
        .handleRaw(
          "ofWallet",
          Effect.fnUntraced(function* ({ params: { address }, query }) {
            const { limit = walletLimit.default, offset = 0, order = "desc", pagination_key: last, ...filters } = query
            const walletQuery = { filter: filterOf(filters), limit, offset, order, after: last?.token }
            const coverage = yield* coverageNow
            const page = yield* Effect.catch(lists.ofWallet(address, walletQuery), notFound)
            return HttpServerResponse.jsonUnsafe(shownWallet(address, page, { limit, offset, filters, coverage }))
          }),
        )
        .handle(
          "onchain",
          Effect.fnUntraced(function* ({ query }) {
            const { wallet, limit = onchainLimit.default, order = "desc", pagination_key: after, ...filters } = query
            const pageQuery = { wallet, filter: filterOf(filters), limit, order, after }
            const coverage = yield* coverageNow
            const { shown, next } = yield* Effect.catch(lists.page(pageQuery), notFound)
            return {
              count: shown.length,
              coverage,
              pagination: {
                limit,
                has_more: next !== undefined,
                pagination_key: next === undefined ? null : paginationKeyOf(next),
              },
              positions: shown.map(shownOnchain),
            }
          }),
        )
    )
  }),
)
