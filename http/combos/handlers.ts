import { Clock, Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import type { Listed } from "#src/activity/model.ts"
import type { MarketStatus } from "#src/combos/ComboMarketStore.ts"
import { Combos } from "#src/combos/Combos.ts"
import type { ComboFilter, ComboPage, ComboQuery } from "#src/combos/model.ts"
import { Leaderboards } from "#src/leaderboards/Leaderboards.ts"
import { LedgerCoverage } from "#src/ledger/coverage/LedgerCoverage.ts"
import { shownCoverage } from "#src/ledger/coverage/shape.ts"
import type { PositionSort } from "#src/positions/list/model.ts"
import { PositionPages } from "#src/positions/list/PositionPages.ts"
import type { ShownStatus } from "#src/positions/PositionFilter.ts"
import { noSums } from "#src/wallets/model.ts"
import { WalletPnl } from "#src/wallets/WalletPnl.ts"
import { Api } from "../Api.ts"
import { placeIn as actPlace, positionOf } from "../activity/translate.ts"
import { boardSorts, readPage, readSort } from "../leaderboards/boardInput.ts"
import { unavailableBoard, withRows } from "../leaderboards/responses.ts"
import { boardPage } from "../leaderboards/translate.ts"
import { placeIn, refusal as positionRefusal, sortNamed } from "../positions/list/translate.ts"
import { filterOf } from "../positions/translate.ts"
import { objectResponse, type Row } from "../v3/answer.ts"
import { type PageParameters, pagedLists } from "../v3/pages.ts"
import { refusal as pnlRefusal } from "../wallets/input.ts"
import { type EventFilters, type RedemptionFilters, readFilter, readRedemptionFilter } from "./input.ts"
import { kindsOf } from "./parameters.ts"
import * as shapes from "./shapes.ts"
import * as translate from "./translate.ts"

const more = { position_type: "combo", source: "onchain" }

interface ListAnswer<A extends Listed> {
  /** Cursors of one list are none of another. */
  readonly list: string
  readonly key: string
  readonly shape: { readonly fields: object }
  readonly subject?: Readonly<Record<string, string>>
  readonly filter: ComboFilter
  readonly pages: (query: ComboQuery) => Effect.Effect<ComboPage<A>, Parameters<typeof translate.refusal>[0]>
  readonly shown: (row: A) => Row
}

export const CombosHandlers = HttpApiBuilder.group(
  Api,
  "combos",
  Effect.fnUntraced(function* (handlers) {
    const combos = yield* Combos
    const positions = yield* PositionPages
    const pnl = yield* WalletPnl
    const boards = yield* Leaderboards
    const ledger = yield* LedgerCoverage
    const paged = yield* pagedLists

    const answer = <A extends Listed>(
      given: PageParameters,
      { list, key, shape, subject = {}, filter, pages, shown }: ListAnswer<A>,
    ) => {
      const format = { key, columns: Object.keys(shape.fields), subject, covers: "facts" } as const
      return paged(format, { ...given, list }, ({ behind, ...page }) =>
        Effect.map(
          Effect.catch(pages({ ...page, filter, behind: actPlace(behind) }), translate.refusal),
          ({ rows, next, asOf }) => ({ rows: rows.map(shown), next: next && positionOf(next), asOf, more }),
        ),
      )
    }

    const events = (given: PageParameters & EventFilters, wallet: string | undefined, subject = {}) =>
      Effect.gen(function* () {
        const isOfWallet = wallet !== undefined
        const kinds = kindsOf(given.event_kind, isOfWallet)
        const filter = { ...(yield* readFilter(given)), wallet, kinds }
        return yield* answer(given, {
          list: "combos/activity",
          key: "activity",
          shape: shapes.Event,
          subject,
          filter,
          pages: combos.events,
          shown: translate.shownEvent(isOfWallet),
        })
      })

    const redemptions = (given: PageParameters & RedemptionFilters, wallet: string | undefined, subject = {}) =>
      Effect.gen(function* () {
        const filter = yield* readRedemptionFilter(given, wallet)
        return yield* answer(given, {
          list: "combos/redemptions",
          key: "redemptions",
          shape: shapes.Redemption,
          subject,
          filter,
          pages: combos.redemptions,
          shown: translate.shownRedemption,
        })
      })

    return handlers
      .handleRaw("markets", ({ query }) =>
        Effect.gen(function* () {
          const { condition } = yield* readFilter(query)
          const format = { key: "markets", columns: Object.keys(shapes.Market.fields), covers: "facts" } as const
          const given: PageParameters & { readonly status?: MarketStatus } = query
          return yield* paged(format, given, ({ behind, ...page }, { status = "all" }) => {
            const [block = 0n, logIndex = 0n] = behind ?? []
            const place = behind && { block: Number(block), logIndex: Number(logIndex) }
            return Effect.map(
              Effect.catch(combos.markets({ ...page, condition, status, behind: place }), translate.refusal),
              ({ rows, next, asOf }) => ({
                rows: rows.map(translate.shownMarket),
                next: next && [next.block, next.logIndex],
                asOf,
                more,
              }),
            )
          })
        }),
      )
      .handleRaw("activity", ({ query }) => events(query, query.wallet))
      .handleRaw("redemptions", ({ query }) => redemptions(query, query.wallet))
      .handleRaw("leaderboard", ({ query }) =>
        Effect.gen(function* () {
          const start = yield* Clock.currentTimeMillis
          const { period = "all" } = query
          const { sort, name } = yield* readSort(period, query.sort, boardSorts)
          const page = yield* readPage(period, query)
          const ranks = page.offset + page.limit
          const asked = { period, sort, withPartial: false, scope: { kind: "combos" } as const, ranks }
          const found = yield* Effect.catch(boards.board(asked), (failure) =>
            failure._tag === "UnknownName" ? Effect.die(failure) : unavailableBoard(failure),
          )
          const { rows, envelope } = boardPage(found, page)
          const elapsed = (yield* Clock.currentTimeMillis) - start
          return withRows(rows, {
            ...envelope,
            elapsed_ms: Math.max(0, Math.round(elapsed)),
            period,
            sort: name,
            ...more,
          })
        }),
      )
      .handleRaw("positions", ({ params: { address }, query }) =>
        Effect.gen(function* () {
          const { condition, position } = yield* readFilter(query)
          yield* Effect.catch(combos.check({ condition, position }), translate.refusal)
          const format = {
            key: "positions",
            columns: Object.keys(shapes.Position.fields),
            subject: { address },
            covers: "positions",
          } as const
          const given: PageParameters & {
            readonly sort?: PositionSort | "pnl"
            readonly status?: ShownStatus
            readonly min_size?: number
          } = query
          return yield* paged(
            format,
            { ...given, list: "combos" },
            ({ behind, ...page }, { sort = "recent", status, min_size }) =>
              Effect.gen(function* () {
                const filter = {
                  ...filterOf({ ...(status && { status }), ...(min_size === undefined ? {} : { min_size }) }),
                  conditionId: condition,
                  tokenId: position,
                }
                const found = yield* Effect.catch(
                  positions.page({
                    ...page,
                    wallet: address,
                    filter,
                    withCombos: true,
                    onlyCombos: true,
                    sort: sortNamed(sort),
                    behind: placeIn(behind),
                  }),
                  positionRefusal,
                )
                const details = yield* Effect.catch(
                  combos.details(new Set(found.positions.map((each) => each.condition))),
                  translate.refusal,
                )
                const { next, asOf } = found
                return {
                  rows: found.positions.map((each) => translate.shownPosition(each, details.get(each.condition))),
                  next: next && [next.sort, next.token, next.wallet],
                  asOf,
                  more,
                }
              }),
          )
        }),
      )
      .handleRaw("walletActivity", ({ params: { address }, query }) => events(query, address, { address }))
      .handleRaw("walletRedemptions", ({ params: { address }, query }) => redemptions(query, address, { address }))
      .handleRaw("summary", ({ params: { address } }) =>
        Effect.gen(function* () {
          const start = yield* Clock.currentTimeMillis
          const covered = yield* Effect.catch(ledger.now, translate.refusal)
          const { sums, asOf } = yield* Effect.catch(pnl.combos(address), pnlRefusal)
          const summary = yield* Effect.catch(combos.summary(address), translate.refusal)
          const body = {
            address,
            summary: translate.shownSummary(address, sums[0] ?? noSums, summary),
            rows_returned: 1,
            ...more,
          }
          const now = yield* Clock.currentTimeMillis
          return objectResponse(body, { asOf, coverage: shownCoverage(covered?.positions), start, now })
        }),
      )
      .handleRaw("trades", ({ params: { address }, query }) =>
        Effect.gen(function* () {
          const isSale = query.side === undefined || query.side === "both" ? undefined : query.side === "sell"
          const kinds = kindsOf("execution", true)
          const filter = { ...(yield* readFilter(query)), wallet: address, kinds, isSale }
          return yield* answer(query, {
            list: "combos/trades",
            key: "trades",
            shape: shapes.Trade,
            subject: { address },
            filter,
            pages: combos.trades,
            shown: translate.shownTrade,
          })
        }),
      )
  }),
)
