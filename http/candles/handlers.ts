import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import type { MarketName } from "#src/candles/TokenCandles.ts"
import { Api } from "../Api.ts"
import { objectAnswers } from "../v3/objects.ts"
import { wholeLists } from "../v3/wholeLists.ts"
import { candleLimit, marketCandleLimit } from "./group.ts"
import { onchainHandler } from "./onchain/handler.ts"
import { readName } from "./onchain/input.ts"
import { only, seriesReader } from "./readSeries.ts"
import type { CandleParameters } from "./readWindow.ts"
import { candleColumns } from "./shapes.ts"
import { shownSeries, shownWindow } from "./translate.ts"

const format = { key: "candles", columns: candleColumns, covers: "facts" } as const

export const CandlesHandlers = HttpApiBuilder.group(
  Api,
  "tokenCandles",
  Effect.fnUntraced(function* (handlers) {
    const read = yield* seriesReader
    const object = yield* objectAnswers
    const list = yield* wholeLists
    const onchain = yield* onchainHandler

    const ofMarket = (name: MarketName, { token_id, ...given }: CandleParameters & { readonly token_id?: string }) =>
      object(
        "facts",
        Effect.map(read(name, token_id, given, marketCandleLimit), ({ series, resolution, window, asked, asOf }) => ({
          body: {
            condition_id: series[0]?.outcome.condition ?? null,
            resolution,
            series_count: series.length,
            series: series.map((each) => shownSeries(each, resolution, asked.order)),
            ...shownWindow(window, series, asked),
          },
          asOf,
        })),
      )

    return handlers
      .handleRaw("ofToken", ({ params: { token_id }, query }) =>
        list(
          format,
          Effect.gen(function* () {
            const found = yield* read({ kind: "token", value: token_id }, token_id, query, candleLimit)
            const { series, resolution, window, asked, asOf } = found
            const { candles: rows, ...first } = shownSeries(yield* only(series), resolution, asked.order)
            return { rows, asOf, rest: { ...first, ...shownWindow(window, series, asked) } }
          }),
        ),
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
