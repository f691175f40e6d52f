import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import type { AsOf } from "#src/ledger/asOf.ts"
import { LedgerCoverage } from "#src/ledger/coverage/LedgerCoverage.ts"
import { shownCoverage } from "#src/ledger/coverage/shape.ts"
import { noSums } from "#src/wallets/model.ts"
import { WalletPnl } from "#src/wallets/WalletPnl.ts"
import { Api } from "../Api.ts"
import { listResponse, objectResponse, shownAsOf } from "../v3/answer.ts"
import { pagedLists } from "../v3/pages.ts"
import { pnlInTurn } from "./concurrency.ts"
import { continuationIn, integersOf, shownLines, shownPositions } from "./explained.ts"
import { readExplained, readPnlQuery, readWindow, refusal, unexplained } from "./input.ts"
import { bucketLimit, lineLimit } from "./parameters.ts"
import { bucketColumns, lineColumns } from "./shapes.ts"
import { shownAccounting, shownBucket, shownCombos, shownSums, shownTotals, shownWindow } from "./translate.ts"

interface Answer {
  readonly body: Readonly<Record<string, unknown>>
  readonly asOf: AsOf | undefined
}

export const WalletPnlHandlers = HttpApiBuilder.group(
  Api,
  "walletPnl",
  Effect.fnUntraced(function* (handlers) {
    const pnl = yield* WalletPnl
    const ledger = yield* LedgerCoverage
    // Read before the figures, which then cover at least that.
    const coverageNow = Effect.map(Effect.catch(ledger.now, refusal), (covered) => shownCoverage(covered?.positions))

    const answer = <E, R>(read: Effect.Effect<Answer, E, R>) =>
      Effect.gen(function* () {
        const start = yield* Clock.currentTimeMillis
        const coverage = yield* coverageNow
        const { body, asOf } = yield* read
        return objectResponse(body, { asOf, coverage, start, now: yield* Clock.currentTimeMillis })
      })

    const paged = yield* pagedLists
    const inTurn = yield* pnlInTurn

    const everything = { scope: { kind: "everything" }, tokenId: undefined } as const

    return handlers
      .handle("summary", ({ params: { address }, query }) =>
        answer(
          Effect.gen(function* () {
            const withCombos = query.include_combos === "true"
            const found = yield* Effect.catch(pnl.allTime({ address, scope: everything, withCombos }), refusal)
            const accounting =
              query.include_accounting_summary === "true"
                ? yield* Effect.catch(pnl.accounting(address), refusal)
                : undefined
            const body = {
              address,
              ...shownSums(found.sums[0] ?? noSums),
              ...(found.combos && shownCombos(found.combos)),
              ...(accounting && shownAccounting(accounting)),
            }
            return { body, asOf: found.asOf }
          }),
        ),
      )
      .handle("batch", ({ payload: { wallets } }) =>
        answer(
          Effect.map(Effect.catch(pnl.summaries(wallets), refusal), ({ sums, asOf }) => {
            const rows = wallets.map((wallet, i) => ({ wallet, ...shownSums(sums[i] ?? noSums) }))
            return { body: { count: rows.length, wallets: rows }, asOf }
          }),
        ),
      )
      .handle("pnl", ({ params: { address }, query }) =>
        Effect.gen(function* () {
          const { window, scope, named, withCombos, withNow } = yield* readPnlQuery(query)
          const head = { address, period: query.period ?? (window.kind === "all" ? "all" : "custom"), ...named }
          if (window.kind === "all") {
            const found = Effect.catch(pnl.allTime({ address, scope, withCombos }), refusal)
            return yield* answer(
              Effect.map(found, ({ sums, combos, asOf }) => ({
                body: { ...head, ...shownSums(sums[0] ?? noSums), ...(combos && shownCombos(combos)) },
                asOf,
              })),
            )
          }
          const found = Effect.catch(pnl.window({ address, scope, window, withCombos, withNow }), refusal)
          return yield* inTurn(
            answer(Effect.map(found, (sums) => ({ body: { ...head, ...shownWindow(sums) }, asOf: sums.asOf }))),
          )
        }),
      )
      .handle("events", ({ params: { address }, query }) =>
        inTurn(
          Effect.gen(function* () {
            const start = yield* Clock.currentTimeMillis
            const { group = "day", limit = bucketLimit.default } = query
            const window = yield* readWindow(query)
            const coverage = yield* coverageNow
            const found = yield* Effect.catch(pnl.buckets({ address, window, group, limit }), refusal)
            const now = yield* Clock.currentTimeMillis
            const { headers } = yield* HttpServerRequest
            return listResponse(headers["accept"], {
              key: "buckets",
              rows: found.buckets.map(shownBucket),
              columns: bucketColumns,
              asOf: found.asOf,
              nextCursor: null,
              now,
              rest: {
                address,
                granularity: group,
                ...shownTotals(found),
                as_of: shownAsOf(found.asOf),
                coverage,
                elapsed_ms: Math.max(0, Math.round(now - start)),
              },
            })
          }),
        ),
      )
      .handle("explain", ({ params: { address }, query: { limit = lineLimit.default, ...query } }) =>
        paged(
          { key: "lines", columns: lineColumns, subject: { address }, covers: "positions" },
          { ...query, limit },
          ({ limit, behind }, { condition_id, token_id }) =>
            Effect.gen(function* () {
              const scope = yield* readExplained(condition_id, token_id)
              const found = yield* Effect.catch(
                pnl.explain({ address, scope, limit, behind: continuationIn(behind) }),
                unexplained,
              )
              const { next, asOf } = found
              return {
                rows: shownLines(found),
                next: next && integersOf(next),
                asOf,
                more: { positions: shownPositions(found) },
              }
            }),
        ),
      )
  }),
)
