import { Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { exactAmount } from "#src/domain/amounts.ts"
import type { HistoryMissing } from "#src/ledger/historyIsIn.ts"
import type { PositionFilter, ShownStatus } from "#src/positions/PositionFilter.ts"
import { PositionLists, type UnknownWallet } from "#src/positions/PositionLists.ts"
import { Api } from "../Api.ts"
import { NotFound, Unavailable, unavailable } from "../errors.ts"
import { closedLimit, onchainLimit, walletLimit } from "./group.ts"
import { keyOf, placeOf } from "./place.ts"
import type { WalletPositions } from "./shapes.ts"
import { shownClosed, shownOfWallet, shownOnchain } from "./translate.ts"

const away = unavailable("positions")

const notYet = (failure: HistoryMissing | SqlError): Effect.Effect<never, Unavailable> =>
  failure._tag === "HistoryMissing"
    ? Effect.fail(
        new Unavailable({
          error: "The history is still being read; positions are shown when all of it is there.",
          hint: "GET /readyz says how far it is.",
        }),
      )
    : away(failure)

const notThere = (failure: UnknownWallet | HistoryMissing | SqlError): Effect.Effect<never, NotFound | Unavailable> =>
  failure._tag === "UnknownWallet"
    ? Effect.fail(
        new NotFound({ error: "Not found.", hint: "The chain has never mentioned this address. Is it complete?" }),
      )
    : notYet(failure)

interface GivenFilters {
  readonly status?: ShownStatus
  readonly tag_slug?: string
  readonly market_slug?: string
  readonly condition_id?: string
  readonly token_id?: string
  readonly min_size?: number
}

const filterOf = ({
  status,
  tag_slug,
  market_slug,
  condition_id,
  token_id,
  min_size,
}: GivenFilters): PositionFilter => ({
  status,
  tagSlug: tag_slug,
  marketSlug: market_slug,
  conditionId: condition_id,
  tokenId: token_id,
  minSize: min_size === undefined ? undefined : BigInt(Math.round(min_size * 1_000_000)),
})

export const WalletsHandlers = HttpApiBuilder.group(
  Api,
  "wallets",
  Effect.fnUntraced(function* (handlers) {
    const lists = yield* PositionLists
    return (
      handlers
        .handle(
          "closed",
          Effect.fnUntraced(function* ({ params: { address }, query }) {
            const { limit = closedLimit.default, offset = 0, sortBy = "TIMESTAMP", sortDirection = "DESC" } = query
            const asked = { limit, offset, sortBy, direction: sortDirection, market: query.market, title: query.title }
            const positions = yield* Effect.catch(lists.closed(address, asked), notThere)
            return { wallet: address, count: positions.length, offset, limit, positions: positions.map(shownClosed) }
          }),
        )
        // So many rows are written as they are: to look at each once more would keep others waiting.
        .handleRaw(
          "ofWallet",
          Effect.fnUntraced(function* ({ params: { address }, query }) {
            const { limit = walletLimit.default, offset = 0, order = "desc", ...filters } = query
            const asked = { filter: filterOf(filters), limit, offset, order }
            const { totals, shown } = yield* Effect.catch(lists.ofWallet(address, asked), notThere)
            const answer: typeof WalletPositions.Type = {
              wallet: address,
              source: "onchain",
              count: totals.positions,
              open_count: totals.open,
              closed_count: totals.positions - totals.open,
              total_realized_pnl: exactAmount(totals.realized),
              total_unrealized_pnl: exactAmount(totals.unrealized),
              total_pnl: exactAmount(totals.realized + totals.unrealized),
              positions_with_pnl: totals.withPnl,
              filtered: Object.keys(filters).length > 0,
              applied_filters: filters,
              limit,
              offset,
              has_more: offset + shown.length < totals.positions,
              positions: shown.map(shownOfWallet),
            }
            return HttpServerResponse.jsonUnsafe(answer)
          }),
        )
        .handle(
          "onchain",
          Effect.fnUntraced(function* ({ query }) {
            const { wallet, limit = onchainLimit.default, order = "desc", pagination_key: key, ...filters } = query
            const after = key === undefined ? undefined : yield* placeOf(key)
            const asked = { wallet, filter: filterOf(filters), limit, order, after }
            const { shown, next } = yield* Effect.catch(lists.page(asked), notYet)
            return {
              count: shown.length,
              pagination: {
                limit,
                has_more: next !== undefined,
                pagination_key: next === undefined ? null : keyOf(next),
              },
              positions: shown.map(shownOnchain),
            }
          }),
        )
    )
  }),
)
