import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { LedgerCoverage } from "#src/ledger/coverage/LedgerCoverage.ts"
import { shownCoverage } from "#src/ledger/coverage/shape.ts"
import type { TradeFilter } from "#src/trades/list/model.ts"
import { TradeLists } from "#src/trades/list/TradeLists.ts"
import { Api } from "../../Api.ts"
import { listResponse, shownAsOf } from "../../v3/answer.ts"
import { Cursors } from "../../v3/cursor.ts"
import { tradeLimit } from "./parameters.ts"
import { orderColumns, tradeColumns } from "./shapes.ts"
import { type FilterParameters, filterOf, refusal, shownTrade } from "./translate.ts"

interface PageParameters {
  readonly group_by?: "order_hash"
  readonly order?: "asc" | "desc"
  readonly limit?: number
  readonly offset?: number
  readonly cursor?: string
}

export const TradeListsHandlers = HttpApiBuilder.group(
  Api,
  "tradeLists",
  Effect.fnUntraced(function* (handlers) {
    const lists = yield* TradeLists
    const cursors = yield* Cursors
    const ledger = yield* LedgerCoverage

    const answer = Effect.fnUntraced(function* (
      given: FilterParameters & PageParameters,
      more: TradeFilter,
      first: Readonly<Record<string, string>>,
    ) {
      const start = yield* Clock.currentTimeMillis
      const { order = "desc", limit = tradeLimit.default, offset = 0, cursor, group_by, ...filters } = given
      const query = { ...filters, order, group_by, ...first }
      const [at, block, logIndex] = cursor === undefined ? [] : yield* cursors.open(query, cursor)
      const behind =
        at === undefined || block === undefined || logIndex === undefined ? undefined : { at, block, logIndex }
      // Read before the trades, which then cover at least that.
      const covered = yield* Effect.catch(ledger.now, refusal)
      const byOrder = group_by !== undefined
      const filter = { ...filterOf(filters), ...more }
      const page = yield* Effect.catch(lists.page({ filter, order, limit, offset, behind, byOrder }), refusal)
      const { next } = page
      const nextCursor = next === undefined ? null : yield* cursors.issue(query, [next.at, next.block, next.logIndex])
      const now = yield* Clock.currentTimeMillis
      const { headers } = yield* HttpServerRequest
      return listResponse(headers["accept"], {
        key: "trades",
        rows: page.trades.map(shownTrade),
        columns: byOrder ? orderColumns : tradeColumns,
        asOf: page.asOf,
        nextCursor,
        now,
        rest: {
          ...first,
          rows_returned: page.trades.length,
          has_more: next !== undefined,
          offset,
          limit,
          next_cursor: nextCursor,
          as_of: shownAsOf(page.asOf),
          coverage: shownCoverage(covered?.facts),
          elapsed_ms: Math.max(0, Math.round(now - start)),
        },
      })
    })

    return handlers
      .handleRaw("all", ({ query }) => answer(query, {}, {}))
      .handleRaw("ofWallet", ({ params: { address }, query }) => answer(query, { wallet: address }, { address }))
      .handleRaw("ofToken", ({ params: { token_id }, query }) => answer(query, { tokenId: token_id }, { token_id }))
      .handleRaw("ofMarket", ({ params: { slug }, query }) => answer(query, { marketSlug: slug }, { slug }))
  }),
)
