import { Schema } from "effect"
import { tickSources } from "#src/domain/Tick.ts"
import { acknowledged } from "./control.ts"
import { Amount, Flag, maybe, message, Seconds, sample, Text, Texts, Whole } from "./fields.ts"

const { epoch, moment, second, seq, subscriber, subscription } = sample

const Window = Schema.NullOr(Schema.Literals([30, 60]))

const Prices = Schema.Array(Schema.Literals(["spot", "twap30", "twap60"])).annotate({
  description: "What the subscription sends: prices of the moment, or averages over 30 or 60 seconds",
})

export const oracleSubscribed = message(
  "A price feed subscription is active. Replayed prices follow as `price_feed` frames, oldest first.",
  {
    ...acknowledged,
    subscription_type: Schema.Literal("oracle"),
    feeds: Texts,
    price_source: Schema.Literals(["spot", "twap30", "twap60", "both", "follow_main"]).annotate({
      description: "`both`: the averages over 30 and 60 seconds, without spot prices; see `prices`",
    }),
    prices: Prices,
    twap_windows: Schema.Array(Schema.Literals([30, 60])),
    source: Schema.Literals(tickSources),
  },
  {
    type: "subscribed",
    subscriber_id: subscriber,
    subscription_id: subscription,
    subscription_type: "oracle",
    epoch,
    seq,
    source: "oracle_data_streams",
    feeds: ["BTC/USD", "ETH/USD"],
    price_source: "spot",
    prices: ["spot"],
    twap_windows: [],
    warnings: [],
  },
)

export const priceFeed = message(
  "The price at a second, or the average over the last 30 or 60 seconds.",
  {
    type: Schema.Literal("price_feed"),
    id: Text.annotate({
      description:
        "`<ms>-<number>`; send it back in `resume.ticks`. Spot prices have it as in GET /v1/crypto/ticks, averages one of their own",
    }),
    feed: Text,
    timestamp: Seconds,
    is_twap: Flag,
    twap_window_seconds: Window,
    gap: maybe(Flag.annotate({ description: "The client read too slowly; earlier prices were skipped" })),
    source: Schema.Literals(tickSources),
    timestamp_ms: Whole,
    data: Schema.Struct({
      feed: Text,
      price: Amount,
      bid: Amount,
      ask: Amount,
      timestamp: Seconds,
      is_twap: Flag,
      twap_window_seconds: Window,
    }),
  },
  {
    type: "price_feed",
    id: `${moment}-0`,
    feed: "BTC/USD",
    timestamp: second,
    timestamp_ms: moment,
    source: "oracle_data_streams",
    is_twap: false,
    twap_window_seconds: null,
    data: {
      feed: "BTC/USD",
      price: 97_123.45,
      bid: 97_123.4,
      ask: 97_123.5,
      timestamp: second,
      is_twap: false,
      twap_window_seconds: null,
    },
  },
)
