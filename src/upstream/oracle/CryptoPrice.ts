import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import type { FinePrice } from "#src/domain/amounts.ts"
import type { Coin } from "#src/domain/Tick.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import { fromNumber, maxExactNumber } from "./wireValues.ts"

const name = "site"

/** The site's names of window lengths; some have changed over time. */
const variants = {
  "5m": "fiveminute",
  "15m": "fifteen",
  "1h": "hourly",
  "4h": "fourhour",
  "1d": "daily",
} as const
export type WindowLength = keyof typeof variants

export interface OracleWindow {
  readonly coin: Coin
  readonly length: WindowLength
  /** Milliseconds. */
  readonly from: number
  readonly to: number
  /** Period of the time-weighted average, for windows resolved by one; otherwise the spot price counts. */
  readonly twapSeconds?: number
}

/** Prices are whole numbers of 10⁻⁸ USD. */
export interface WindowPrices {
  /** Null until some seconds after the start. */
  readonly open: FinePrice | null
  /** Changes while the window is open. */
  readonly close: FinePrice | null
  readonly at: number
  /** The result is final. */
  readonly isCompleted: boolean
  /** Request it again. */
  readonly isIncomplete: boolean
  readonly isCached: boolean
}

const Price = Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: maxExactNumber })))
const Response = Schema.Struct({
  openPrice: Price,
  closePrice: Price,
  timestamp: Schema.Int,
  completed: Schema.Boolean,
  incomplete: Schema.Boolean,
  cached: Schema.Boolean,
})

/** The site refuses clients that do not look like a browser. */
const browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36"

/** After a 429 without a retry-after header. */
const defaultPause = Duration.minutes(1)

export const priceAddress = (base: string, { coin, length, from, to, twapSeconds }: OracleWindow) => {
  const query = new URLSearchParams({
    symbol: coin,
    eventStartTime: new Date(from).toISOString(),
    endDate: new Date(to).toISOString(),
    variant: variants[length],
    // Without these the spot prices are returned.
    ...(!twapSeconds ? {} : { twapEnabled: "true", twapLookbackSeconds: String(twapSeconds) }),
  })
  return `${base}/api/crypto/crypto-price?${query}`
}

const priceOf = (value: number | null) => (value === null ? null : fromNumber(value))

/** The site's own price to beat and final price of an up/down window. */
export class CryptoPrice extends Context.Service<
  CryptoPrice,
  { readonly window: (window: OracleWindow) => Effect.Effect<WindowPrices, UpstreamFailure> }
>()("presage/upstream/oracle/CryptoPrice") {
  static readonly layer = Layer.effect(
    CryptoPrice,
    Effect.gen(function* () {
      const { site } = yield* Endpoints
      const http = yield* UpstreamHttp
      let pausedUntil = 0

      const checkPause = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        now >= pausedUntil
          ? Effect.void
          : new UpstreamFailure({
              upstream: name,
              reason: "rate-limited",
              detail: "paused after a rate limit",
              retryAfter: Duration.millis(pausedUntil - now),
            }),
      )
      const pause = (failure: UpstreamFailure) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (failure.reason !== "rate-limited") return
          pausedUntil = Math.max(pausedUntil, now + Duration.toMillis(failure.retryAfter ?? defaultPause))
        })

      return CryptoPrice.of({
        window: (window) =>
          checkPause.pipe(
            Effect.andThen(
              http
                .decoded(name, Response, {
                  url: priceAddress(site, window),
                  headers: () => ({ "user-agent": browser }),
                })
                .pipe(Effect.tapError(pause)),
            ),
            Effect.map((response) => ({
              open: priceOf(response.openPrice),
              close: priceOf(response.closePrice),
              at: response.timestamp,
              isCompleted: response.completed,
              isIncomplete: response.incomplete,
              isCached: response.cached,
            })),
          ),
      })
    }),
  )
}
