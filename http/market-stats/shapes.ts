import { Schema } from "effect"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { type FigureWindow, statuses, windows } from "#src/market-stats/model.ts"
import { Market } from "../markets/shapes.ts"
import { integerOrNull, textOrNull } from "../openapi/described.ts"
import { envelopeFields } from "../v3/answer.ts"

const lengths: Readonly<Record<FigureWindow, string>> = {
  "1h": "in the hour before `as_of`",
  "24h": "in the 24 hours before `as_of`",
  "7d": "in the 7 days before `as_of`",
  "30d": "in the 30 days before `as_of`",
  all: "in everything that the ledger has",
}

type Columns<Name extends string, S> = { readonly [W in FigureWindow as `${Name}_${W}`]: S }

const perWindow = <Name extends string, S>(name: Name, field: (length: string) => S) =>
  Object.fromEntries(windows.map((window) => [`${name}_${window}`, field(lengths[window])])) as Columns<Name, S>

const status = Schema.Literals(statuses).annotate({
  description:
    "resolved: on the chain, for an event all of its markets; closed: by the venue, but not resolved; open: else",
})
const liquidity = textOrNull("Of the order books as the venue counts it, decimal dollars")

/** Null for an event until its trades are counted. */
const figures = {
  ...perWindow("volume", (length) => textOrNull(`Traded on the chain ${length}, decimal dollars`)),
  ...perWindow("trades", (length) => integerOrNull(`Trades on the chain ${length}`)),
  ...perWindow("unique_traders", (length) => integerOrNull(`Wallets that traded ${length}`)),
}

const price = {
  price: Schema.NullOr(Schema.Finite).annotate({
    description: "Of the first outcome: the payout, else the newest trade on the chain, else as the venue lists it",
  }),
  price_change_24h: Schema.NullOr(Schema.Finite).annotate({
    description: "Change of `price` in 24 hours; null if the first outcome was not traded before",
  }),
}

export const ListedMarket = Schema.Struct({
  ...Market.fields,
  status,
  created_at: textOrNull("ISO 8601"),
  ...price,
  ...figures,
}).annotate({ identifier: "ListedMarket" })

const names = {
  slug: textOrNull("Null while the market is not listed, as are the other names"),
  question: textOrNull("Question of the market"),
}

export const MarketStats = Schema.Struct({
  condition_id: textOrNull("Always known"),
  ...names,
  event_slug: textOrNull("Slug of the event"),
  status,
  liquidity,
  ...price,
  ...figures,
}).annotate({ identifier: "MarketStats" })

const event = {
  event_id: Schema.String,
  slug: Schema.String,
  title: Schema.String,
}
const market_count = Schema.Int.annotate({ description: "Markets with a condition" })

export const ListedEvent = Schema.Struct({
  ...event,
  category: textOrNull("Category of the event"),
  image: textOrNull("Address of an image"),
  tag_slugs: Schema.Array(Schema.String),
  status,
  active: Schema.Boolean,
  closed: Schema.Boolean,
  neg_risk: Schema.Boolean,
  start_date: textOrNull("ISO 8601"),
  end_date: textOrNull("ISO 8601"),
  created_at: textOrNull("ISO 8601"),
  market_count,
  condition_ids: Schema.Array(Schema.String).annotate({ description: "Of its markets" }),
  volume_all_time: textOrNull("As the venue counts it, decimal dollars"),
  liquidity,
  ...figures,
}).annotate({ identifier: "ListedEvent" })

export const EventStats = Schema.Struct({ ...event, status, market_count, liquidity, ...figures }).annotate({
  identifier: "EventStats",
})

const list = {
  windows_complete: Schema.Boolean.annotate({
    description: "Whether every window is counted as far back as it reaches, or as the ledger's facts do",
  }),
  ...envelopeFields,
  coverage: CoverageField,
}
export const MarketList = Schema.Struct({ data: Schema.Array(ListedMarket), ...list }).annotate({
  identifier: "MarketList",
})
export const MarketStatsList = Schema.Struct({ data: Schema.Array(MarketStats), ...list }).annotate({
  identifier: "MarketStatsList",
})
export const EventList = Schema.Struct({ data: Schema.Array(ListedEvent), ...list }).annotate({
  identifier: "EventList",
})
export const EventStatsList = Schema.Struct({ data: Schema.Array(EventStats), ...list }).annotate({
  identifier: "EventStatsList",
})
