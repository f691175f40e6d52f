import { Clock, Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { type MarketName, TokenCandles } from "#src/candles/TokenCandles.ts"
import type { UnknownName } from "#src/catalogue/NameStore.ts"
import { explainUnknown } from "../input/unknownName.ts"
import { NotFound, type Unavailable, unavailable } from "../server/errors.ts"
import { type CandleLimit, type CandleParameters, readWindow } from "./readWindow.ts"

export const storeFailed = unavailable("candles")

export const notFound = (hint?: string) =>
  Effect.fail(new NotFound({ error: "Not found.", ...(hint === undefined ? {} : { hint }) }))

const refusal = (failure: UnknownName | SqlError): Effect.Effect<never, NotFound | Unavailable> =>
  failure._tag === "UnknownName" ? notFound(explainUnknown(failure)) : storeFailed(failure)

/** Reads the series of a market, or of one of its tokens, in the window that a query names. */
export const seriesReader = Effect.map(TokenCandles, (candles) =>
  Effect.fnUntraced(function* (
    name: MarketName,
    token: string | undefined,
    given: CandleParameters,
    most: CandleLimit,
  ) {
    const { resolution, window, asked } = yield* readWindow(given, most, yield* Clock.currentTimeMillis)
    const market = yield* Effect.catch(candles.market(name), refusal)
    const chosen = market.outcomes.filter((outcome) => token === undefined || outcome.token === token)
    if (token !== undefined && chosen.length === 0) return yield* notFound("This market has no such `token_id`.")
    const series = yield* Effect.forEach(chosen, (outcome) =>
      Effect.catch(candles.series(market, outcome, window, asked.withGaps), storeFailed),
    )
    return { series, window, resolution, asked, asOf: market.asOf }
  }),
)

/** The series of a single token. */
export const only = <A>([first]: ReadonlyArray<A>) => (first === undefined ? notFound() : Effect.succeed(first))
