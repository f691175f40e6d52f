import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import type { TradeFilter, TradeSort } from "#src/trades/list/model.ts"
import { TradeLists } from "#src/trades/list/TradeLists.ts"
import { Api } from "../../Api.ts"
import { type PageParameters, pagedLists } from "../../v3/pages.ts"
import { comboTrades } from "./comboTrades.ts"
import { orderColumns, tradeColumns } from "./shapes.ts"
import { type FilterParameters, filterOf, ordersByTime, placeIn, positionOf, refusal, shownTrade } from "./translate.ts"

type Given = PageParameters &
  FilterParameters & {
    readonly group_by?: "order_hash"
    readonly sort_by?: TradeSort
    readonly include_combos?: "true" | "false"
  }

export const TradeListsHandlers = HttpApiBuilder.group(
  Api,
  "tradeLists",
  Effect.fnUntraced(function* (handlers) {
    const lists = yield* TradeLists
    const paged = yield* pagedLists
    const combosOf = yield* comboTrades

    const answer = (given: Given, path: TradeFilter, subject: Readonly<Record<string, string>>) => {
      const byOrder = given.group_by !== undefined
      const columns = byOrder ? orderColumns : tradeColumns
      if (byOrder && given.sort_by !== undefined && given.sort_by !== "timestamp") return Effect.fail(ordersByTime)
      return paged(
        { list: "trades", key: "trades", columns, subject, covers: "facts" },
        given,
        ({ behind, ...page }, filters) => {
          const filter = { ...filterOf(filters), ...path }
          const sortBy = given.sort_by ?? "timestamp"
          const found = lists.page({ ...page, filter, sortBy, behind: placeIn(behind), byOrder })
          return Effect.gen(function* () {
            const { trades, next, asOf } = yield* Effect.catch(found, refusal)
            // Pages behind a cursor continue the other trades; combos have pages of their own.
            const more = given.include_combos === "true" && behind === undefined ? yield* combosOf(page, filter) : {}
            return { rows: trades.map(shownTrade), next: next && positionOf(next), asOf, more }
          })
        },
      )
    }

    return handlers
      .handleRaw("all", ({ query }) => answer(query, {}, {}))
      .handleRaw("ofWallet", ({ params: { address }, query }) => answer(query, { wallet: address }, { address }))
      .handleRaw("ofToken", ({ params: { token_id }, query }) => answer(query, { tokenId: token_id }, { token_id }))
      .handleRaw("ofMarket", ({ params: { slug }, query }) => answer(query, { marketSlug: slug }, { slug }))
  }),
)
