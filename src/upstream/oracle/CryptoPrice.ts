import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import type { Coin } from "#src/domain/Tick.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import { fromNumber, highestNumber } from "./price.ts"

const name = "site"

/** What the site calls the lengths of windows; it has had other names for some of them. */
const variants = {
  "5m": "fiveminute",
  "15m": "fifteenminute",
  "1h": "hourly",
  "4h": "fourhour",
  "1d": "daily",
} as const
export type WindowLength = keyof typeof variants

export interface PriceWindow {
  readonly coin: Coin
  readonly length: WindowLength
  /** Milliseconds. */
  readonly from: number
  readonly to: number
  /** Seconds whose mean counts, for windows decided by it; without it the price of the second counts. */
  readonly meanOf?: number
}

/** Prices are whole numbers of 10⁻⁸ USD. */
export interface WindowPrices {
  /** Not there until some seconds after the start. */
  readonly open: bigint | null
  /** Moves while the window runs. */
  readonly close: bigint | null
  readonly at: number
  /** The result is final. */
  readonly isCompleted: boolean
  /** Ask again. */
  readonly isIncomplete: boolean
  readonly isCached: boolean
}

const Price = Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: highestNumber })))
const Answer = Schema.Struct({
  openPrice: Price,
  closePrice: Price,
  timestamp: Schema.Int,
  completed: Schema.Boolean,
  incomplete: Schema.Boolean,
  cached: Schema.Boolean,
})

/** The site turns away what does not look like a browser. */
const browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36"

/** After a refusal without a word about how long. */
const usualRest = Duration.minutes(1)

const addressOf = (base: string, { coin, length, from, to, meanOf }: PriceWindow) => {
  const query = new URLSearchParams({
    symbol: coin,
    eventStartTime: new Date(from).toISOString(),
    endDate: new Date(to).toISOString(),
    variant: variants[length],
    ...(meanOf === undefined ? {} : { twapEnabled: "true", twapLookbackSeconds: String(meanOf) }),
  })
  return `${base}/api/crypto/crypto-price?${query}`
}

const priceOf = (value: number | null) => (value === null ? null : fromNumber(value))

/** The site's own price to beat and final price of an up/down window. */
export class CryptoPrice extends Context.Service<
  CryptoPrice,
  { readonly window: (window: PriceWindow) => Effect.Effect<WindowPrices, UpstreamFailure> }
>()("presage/upstream/oracle/CryptoPrice") {
  static readonly layer = Layer.effect(
    CryptoPrice,
    Effect.gen(function* () {
      const { site } = yield* Endpoints
      const http = yield* UpstreamHttp
      let restUntil = 0

      const mayAsk = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        now >= restUntil
          ? Effect.void
          : new UpstreamFailure({
              upstream: name,
              reason: "rate-limited",
              detail: "it asked to be left alone",
              retryAfter: Duration.millis(restUntil - now),
            }),
      )
      const rest = (failure: UpstreamFailure) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (failure.reason !== "rate-limited") return
          restUntil = Math.max(restUntil, now + Duration.toMillis(failure.retryAfter ?? usualRest))
        })

      return CryptoPrice.of({
        window: (window) =>
          mayAsk.pipe(
            Effect.andThen(
              http
                .decoded(name, Answer, { url: addressOf(site, window), headers: () => ({ "user-agent": browser }) })
                .pipe(Effect.tapError(rest)),
            ),
            Effect.map((answer) => ({
              open: priceOf(answer.openPrice),
              close: priceOf(answer.closePrice),
              at: answer.timestamp,
              isCompleted: answer.completed,
              isIncomplete: answer.incomplete,
              isCached: answer.cached,
            })),
          ),
      })
    }),
  )
}
