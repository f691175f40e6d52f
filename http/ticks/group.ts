import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { CoinSymbol } from "#src/crypto/model.ts"
import { Coin, feedName, TickSource, tickId, tickSources } from "#src/domain/Tick.ts"
import { cryptoVersion } from "../crypto/group.ts"
import { Unavailable } from "../errors.ts"

const moment = 1_794_700_800_000
const second = moment / 1000
const source = "oracle_data_streams"

export const defaultLimit = 10_000
const mostTicks = 100_000

const Price = Schema.Finite
const Tick = Schema.Struct({
  id: Schema.String.annotate({
    description: "`<ms>-<sequence>`: the same as on the live stream, whenever it is asked for",
  }),
  type: Schema.Literal("price_feed"),
  feed: Schema.String,
  timestamp: Schema.Int.annotate({ description: "Unix seconds" }),
  timestamp_ms: Schema.Int,
  source: TickSource,
  data: Schema.Struct({ feed: Schema.String, price: Price, bid: Price, ask: Price, timestamp: Schema.Int }),
})

const Ticks = Schema.Struct({
  symbol: Coin,
  feed: Schema.String,
  from: Schema.Int,
  to: Schema.Int,
  limit: Schema.Int,
  count: Schema.Int,
  truncated: Schema.Boolean.annotate({
    description: "Whether there are as many ticks as `limit`, so that more may follow",
  }),
  source: Schema.NullOr(TickSource).annotate({ description: "The source that was asked for" }),
  ticks: Schema.Array(Tick),
}).annotate({
  examples: [
    {
      symbol: "BTC",
      feed: feedName("BTC"),
      from: moment,
      to: moment + 1000,
      limit: defaultLimit,
      count: 1,
      truncated: false,
      source,
      ticks: [
        {
          id: tickId(source, { coin: "BTC", at: moment }),
          type: "price_feed",
          feed: feedName("BTC"),
          timestamp: second,
          timestamp_ms: moment,
          source,
          data: { feed: feedName("BTC"), price: 97123.45, bid: 97123.4, ask: 97123.5, timestamp: second },
        },
      ],
    },
  ],
})

const Moment = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const list = HttpApiEndpoint.get("list", "/v1/crypto/ticks", {
  query: {
    symbol: CoinSymbol,
    from: Moment.annotate({ description: "where the range begins, in Unix milliseconds" }),
    to: Moment.annotate({
      description: "where the range ends, in Unix milliseconds; after `from`, by 24 hours at most",
    }),
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostTicks })).annotate({
        description: `ticks at most, 1 to ${mostTicks}; ${defaultLimit} when left out`,
      }),
    ),
    source: Schema.optionalKey(
      TickSource.annotate({ description: `${tickSources.join(" or ")}; every source when left out` }),
    ),
  },
  success: Ticks,
  error: Unavailable,
}).annotateMerge(
  OpenApi.annotations({
    summary: "Ticks of a coin",
    override: { "x-version": cryptoVersion },
    description: `Prices of every second, from \`from\` on and before \`to\`: ranges that follow each other share no tick. Oldest first; ticks
of the same moment in the order of the sources' names. One request covers 24 hours at most. An answer of \`limit\` ticks is
\`truncated\`: with a \`source\` named, go on from the last tick's \`timestamp_ms\` plus 1; without one, from that \`timestamp_ms\` with a limit above the number
of sources, and leave out the ids you have; or ask with a higher limit. Before the first tick there are none,
which is no error. A coin can have ticks of several sources for the same second: name a \`source\`, or take one per
\`timestamp_ms\`. \`x-data-age-ms\` says how old the newest tick of the feed is, whatever the range. A day is 20 MB of JSON:
send \`accept-encoding\`.

\`\`\`sh
now=$(date +%s000); curl --compressed -H "x-api-key: $KEY" "localhost:8080/v1/crypto/ticks?symbol=BTC&from=$((now - 60000))&to=$now&source=oracle_data_streams"
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
