import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { Hex } from "viem"
import { type MarketName, TokenCandles } from "#src/candles/TokenCandles.ts"
import type { UnknownName } from "#src/catalogue/NameStore.ts"
import { LedgerCoverage } from "#src/ledger/coverage/LedgerCoverage.ts"
import { shownCoverage } from "#src/ledger/coverage/shape.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { Api } from "../Api.ts"
import { explainUnknown } from "../input/unknownName.ts"
import { NotFound, type Unavailable, unavailable } from "../server/errors.ts"
import { ageHeaders, listResponse, shownAsOf } from "../v3/answer.ts"
import { onchainCandleLimit } from "./group.ts"
import { checkAnchors, type OnchainParameters, readName } from "./onchain.ts"
import { type CandleParameters, readWindow } from "./readWindow.ts"
import { candleColumns } from "./shapes.ts"
import { shownNames, shownOnchain, shownSeries, shownWindow, turnsOf } from "./translate.ts"

const storeFailed = unavailable("candles")
const refusal = (failure: UnknownName | SqlError): Effect.Effect<never, NotFound | Unavailable> =>
  failure._tag === "UnknownName"
    ? Effect.fail(new NotFound({ error: "Not found.", hint: explainUnknown(failure) }))
    : storeFailed(failure)

const notFound = (hint: string) => Effect.fail(new NotFound({ error: "Not found.", hint }))

export const CandlesHandlers = HttpApiBuilder.group(
  Api,
  "tokenCandles",
  Effect.fnUntraced(function* (handlers) {
    const candles = yield* TokenCandles
    const ledger = yield* LedgerCoverage
    const node = yield* ChainNode
    const coverageNow = Effect.map(Effect.catch(ledger.now, storeFailed), (covered) => shownCoverage(covered?.facts))

    /** The series of a market, or of one of its tokens, and what every answer has. */
    const read = Effect.fnUntraced(function* (name: MarketName, token: string | undefined, given: CandleParameters) {
      const start = yield* Clock.currentTimeMillis
      const { resolution, window, asked } = yield* readWindow(given, start)
      const coverage = yield* coverageNow
      const market = yield* Effect.catch(candles.market(name), refusal)
      const chosen = market.outcomes.filter((outcome) => token === undefined || outcome.token === token)
      if (token !== undefined && chosen.length === 0)
        return yield* new NotFound({ error: "Not found.", hint: "This market has no such `token_id`." })
      const series = yield* Effect.forEach(chosen, (outcome) =>
        Effect.catch(candles.series(market, outcome, window, asked.withGaps), storeFailed),
      )
      const now = yield* Clock.currentTimeMillis
      const rest = {
        ...shownWindow(window, series, asked),
        as_of: shownAsOf(market.asOf),
        coverage,
        elapsed_ms: Math.max(0, Math.round(now - start)),
      }
      return { series, window, resolution, order: asked.order, rest, asOf: market.asOf, now }
    })

    const ofMarket = Effect.fnUntraced(function* (
      name: MarketName,
      { token_id, ...given }: CandleParameters & { readonly token_id?: string },
    ) {
      const { series, resolution, order, rest, asOf, now } = yield* read(name, token_id, given)
      const body = {
        condition_id: series[0]?.outcome.condition ?? null,
        resolution,
        series_count: series.length,
        series: series.map((each) => shownSeries(each, resolution, order)),
        ...rest,
      }
      return HttpServerResponse.jsonUnsafe(body, { headers: ageHeaders(asOf, now) })
    })

    /** The time of a block or transaction that the request names instead of a time. */
    const anchorTime = Effect.fnUntraced(function* ({ anchor_block, anchor_tx, anchor_ts }: OnchainParameters) {
      yield* checkAnchors({ anchor_block, anchor_tx, anchor_ts })
      const block =
        anchor_tx === undefined
          ? anchor_block
          : yield* Effect.catch(node.blockOfTransaction(anchor_tx as Hex), unavailable("transactions"))
      if (block === undefined)
        return anchor_tx === undefined ? anchor_ts : yield* notFound(`The node knows no transaction ${anchor_tx}.`)
      const at = yield* Effect.catch(candles.blockTime(block), storeFailed)
      return at ?? (yield* notFound(`The ledger has no block ${block}.`))
    })

    const onchain = Effect.fnUntraced(function* (name: MarketName, parameters: OnchainParameters) {
      const { anchor_block: _, anchor_tx: __, ...query } = parameters
      const at = yield* anchorTime(parameters)
      const { limit = onchainCandleLimit.default } = query
      const given = { ...query, limit, ...(at === undefined ? {} : { anchor_ts: at }) }
      const token = name.kind === "token" ? name.value : undefined
      const { series, window, resolution, rest, asOf, now } = yield* read(name, token, given)
      const [first] = series
      if (first === undefined) return yield* new NotFound({ error: "Not found." })
      const { slug: ___, outcome_index: ____, ...names } = shownNames(first.outcome)
      const body = {
        token_id: first.outcome.token,
        resolution,
        window: {
          start_ts: window.start,
          end_ts: window.end,
          trade_count: first.candles.reduce((sum, { trades }) => sum + trades, 0),
          duration_seconds: window.end - window.start,
        },
        count: first.candles.length,
        candles: first.candles.map(shownOnchain),
        pagination: turnsOf([first], window),
        ...names,
        as_of: rest.as_of,
        coverage: rest.coverage,
      }
      return HttpServerResponse.jsonUnsafe(body, { headers: ageHeaders(asOf, now) })
    })

    return handlers
      .handleRaw("ofToken", ({ params: { token_id }, query }) =>
        Effect.gen(function* () {
          const name = { kind: "token", value: token_id } as const
          const { series, resolution, order, rest, asOf, now } = yield* read(name, token_id, query)
          const [only] = series
          if (only === undefined) return yield* new NotFound({ error: "Not found." })
          const { candles: rows, ...first } = shownSeries(only, resolution, order)
          const { headers } = yield* HttpServerRequest
          return listResponse(headers["accept"], {
            key: "candles",
            rows,
            columns: candleColumns,
            rest: { ...first, ...rest },
            asOf,
            nextCursor: null,
            now,
          })
        }),
      )
      .handleRaw("ofMarket", ({ params: { slug }, query }) => ofMarket({ kind: "market", value: slug }, query))
      .handleRaw("ofCondition", ({ params: { condition_id }, query }) =>
        ofMarket({ kind: "condition", value: condition_id }, query),
      )
      .handleRaw("onchain", ({ params: { token_id }, query }) => onchain({ kind: "token", value: token_id }, query))
      .handleRaw("onchainByName", ({ query: { token_id, condition_id, market_slug, ...query } }) =>
        Effect.flatMap(readName({ token_id, condition_id, market_slug }), (name) => onchain(name, query)),
      )
  }),
)
