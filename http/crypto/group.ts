import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { CoinOrFeed, CoinSymbol, WindowInterval, WindowSecond } from "#src/crypto/model.ts"
import { ActiveAnswer, CandlesAnswer, MarketsAnswer, PriceAnswer, SeriesAnswer } from "#src/crypto/shapes.ts"
import { describe } from "../openapi/describe.ts"
import { withCaching } from "../openapi/transforms.ts"
import { BadInput, NotFound, Unavailable } from "../server/errors.ts"

/** Version of these endpoints; the document has the version of the service. */
export const cryptoVersion = "2.0.0"

const markets = HttpApiEndpoint.get("markets", "/v1/crypto/markets", {
  success: MarketsAnswer,
  error: Unavailable,
}).annotateMerge(
  describe(
    "Open crypto events",
    "/v1/crypto/markets",
    "All open crypto events with their markets, highest 24-hour volume first. Short events (5m, 15m, 1h, 4h) are included only if they had not ended when the list was loaded and end within 24 hours. Cached for 3 minutes.",
  ),
)

const candles = HttpApiEndpoint.get("candles", "/v1/crypto/candles", {
  query: { symbol: CoinOrFeed },
  success: CandlesAnswer,
  error: Unavailable,
}).annotateMerge(
  describe(
    "Five-minute candles",
    "/v1/crypto/candles?symbol=BTC",
    "The last 30 candles in order of time; the last one is the current candle and still changes. Candles start at multiples of 300 seconds and do not depend on the arrival order of ticks.",
    "A candle uses the ticks of one source: `oracle_data_streams`, or `platform_oracle` if the former has no tick in those five minutes. Five minutes without ticks become a flat candle at the previous close; candles before the first known price are omitted. Cached for 5 seconds.",
  ),
)

const price = HttpApiEndpoint.get("price", "/v1/crypto/price", {
  query: { symbol: CoinSymbol, window: WindowSecond, interval: Schema.optionalKey(WindowInterval) },
  success: PriceAnswer,
  error: [BadInput, NotFound, Unavailable],
}).annotateMerge(
  describe(
    "Open and close of a window",
    "/v1/crypto/price?symbol=BTC&interval=5m&window=$(( $(date +%s) / 300 * 300 ))",
    "The two prices that decide an up-or-down market: for 5m, 15m and 4h the mean of the 60 seconds before the window's start and end, for 1h and daily the price at that time; `averageSeconds` says which. The open is provisional for the first 5 seconds of a window, and after an outage of the oracle until its ticks have arrived. Once the market publishes its prices, these are used, even if no tick of that time is known. Until then they come from `oracle_data_streams`, or from `platform_oracle` if the former has been silent for a minute.",
    "A window starts at a multiple of its length; a daily one at noon in New York. 400 for a window with another start or in the future, 404 for one without a market, or before the first known price if the market has published none, 503 while the oracle is silent. Cached for 10 seconds, but not beyond the end of the window.",
  ),
)

const active = HttpApiEndpoint.get("active", "/v1/crypto/active", {
  success: ActiveAnswer,
  error: Unavailable,
}).annotateMerge(
  describe(
    "Current five-minute markets",
    "/v1/crypto/active",
    "One up-or-down market for each of the seven coins. A new window starts every five minutes. Cached for 30 seconds, but not beyond the end of the window.",
  ),
)

const series = HttpApiEndpoint.get("series", "/v1/crypto/series", {
  success: SeriesAnswer,
  error: Unavailable,
}).annotateMerge(
  describe(
    "Recurring series",
    "/v1/crypto/series",
    "The series of crypto events, shortest first, then by slug. Cached for 5 minutes.",
  ),
)

export class CryptoGroup extends HttpApiGroup.make("crypto")
  .add(markets, candles, price, active, series)
  .annotateEndpointsMerge(OpenApi.annotations({ override: { "x-version": cryptoVersion }, transform: withCaching }))
  .annotateMerge(
    OpenApi.annotations({
      title: "Crypto",
      description: `Prices of seven coins and the markets on them. These endpoints are version ${cryptoVersion}.`,
      override: { "x-version": cryptoVersion },
    }),
  ) {}
