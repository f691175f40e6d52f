import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { CoinSymbol } from "#src/crypto/model.ts"
import { Coin, TickSource, tickSources } from "#src/domain/Tick.ts"
import { millisMistake } from "#src/domain/time.ts"
import { cryptoVersion } from "../crypto/group.ts"
import { limitOf } from "../input/page.ts"
import { refusedWith } from "../input/parameter.ts"
import { BadInput, Unavailable } from "../server/errors.ts"

export const defaultLimit = 10_000
const maxTicks = 100_000

const Price = Schema.Finite
const Tick = Schema.Struct({
  id: Schema.String.annotate({
    description: "`<ms>-<sequence>`, the same as on the live stream and in every answer",
  }),
  type: Schema.Literal("price_feed"),
  feed: Schema.String,
  timestamp: Schema.Int.annotate({ description: "Unix seconds" }),
  timestamp_ms: Schema.Int,
  source: TickSource,
  is_twap: Schema.optionalKey(Schema.Literal(true)).annotate({
    description: "Only on averages: the price is the mean over `twap_window_seconds` that markets settle on",
  }),
  twap_window_seconds: Schema.optionalKey(Schema.Int),
  data: Schema.Struct({ feed: Schema.String, price: Price, bid: Price, ask: Price, timestamp: Schema.Int }),
}).annotate({ identifier: "Tick" })

const Ticks = Schema.Struct({
  symbol: Coin,
  feed: Schema.String,
  from: Schema.Int,
  to: Schema.Int,
  limit: Schema.Int,
  count: Schema.Int,
  truncated: Schema.Boolean.annotate({
    description: "Whether the answer has `limit` ticks, so that more may follow",
  }),
  source: Schema.NullOr(TickSource).annotate({ description: "The requested source" }),
  ticks: Schema.Array(Tick),
}).annotate({ identifier: "Ticks" })

const maxRangeMillis = 86_400_000

/** Unix milliseconds. Explains likely mistakes in the unit. */
const millis = (param: string) =>
  Schema.Int.check(
    Schema.isGreaterThanOrEqualTo(0),
    Schema.makeFilter((value: number) => {
      const mistake = millisMistake(param, value)
      if (mistake === undefined) return undefined
      return refusedWith(
        new BadInput({ error: `Parameter "${param}": ${mistake.problem}.`, param, hint: mistake.hint }),
      )
    }),
  )

const rangeProblem = ({ from, to }: { readonly from: number; readonly to: number }) => {
  if (to <= from) {
    return new BadInput({ error: `Parameter "to": expected a time after "from" (${from}), got ${to}.`, param: "to" })
  }
  if (to - from <= maxRangeMillis) return undefined
  return new BadInput({
    error: `Parameter "to": expected at most 24 hours (${maxRangeMillis} ms) after "from", got ${to - from} ms.`,
    param: "to",
    hint: `Request one day at a time: to=${from + maxRangeMillis} at most, then continue from there.`,
  })
}

const TicksQuery = Schema.Struct({
  symbol: CoinSymbol,
  from: millis("from").annotate({ description: "start of the range, in Unix milliseconds" }),
  to: millis("to").annotate({
    description: "end of the range, in Unix milliseconds, exclusive; after `from`, by at most 24 hours",
  }),
  limit: limitOf("ticks", { default: defaultLimit, max: maxTicks }),
  source: Schema.optionalKey(
    TickSource.annotate({ description: `${tickSources.join(", ")}; all sources of spot prices by default` }),
  ),
}).check(
  Schema.makeFilter((range) => {
    const problem = rangeProblem(range)
    return problem && refusedWith(problem)
  }),
)

const list = HttpApiEndpoint.get("list", "/v1/crypto/ticks", {
  query: TicksQuery,
  success: Ticks,
  error: Unavailable,
}).annotateMerge(
  OpenApi.annotations({
    summary: "Ticks of a coin",
    override: { "x-version": cryptoVersion },
    description: `Prices of every second, from \`from\` (inclusive) to \`to\` (exclusive), so that consecutive ranges share no tick. Oldest first; ticks
of the same time are ordered by source name. One request covers at most 24 hours. An answer of \`limit\` ticks is \`truncated\`: with a
\`source\`, continue from the last tick's \`timestamp_ms\` plus 1; without one, continue from that \`timestamp_ms\` with a limit above the number
of sources and skip the ids you have; or repeat the request with a higher limit. A range before the first tick is empty, not an
error. A coin can have ticks of several sources for the same second: set \`source\`, or use one per \`timestamp_ms\`. The platform's averages
over 60 seconds, on which 5m, 15m and 4h markets settle, come only with \`source=platform_twap60\`; each says \`is_twap\`. \`x-data-age-ms\` is the
age of the newest tick of the feed, independent of the range. A day is 20 MB of JSON: send \`accept-encoding\`.

\`\`\`sh
now=$(date +%s000); curl --compressed -H "x-api-key: $KEY" "$URL/v1/crypto/ticks?symbol=BTC&from=$((now - 60000))&to=$now&source=oracle_data_streams"
\`\`\``,
  }),
)

export class TicksGroup extends HttpApiGroup.make("ticks")
  .add(list)
  .annotateMerge(
    OpenApi.annotations({
      title: "Crypto ticks",
      description: `Every price of every second. Version ${cryptoVersion}.`,
      override: { "x-version": cryptoVersion },
    }),
  ) {}
