import { Schema } from "effect"

const about = <S extends Schema.Top>(schema: S, description: string) => schema.annotate({ description })
const text = (description: string) => about(Schema.String, description)
const amount = (description: string) => about(Schema.Finite, description)
const flag = (description: string) => about(Schema.Boolean, description)

export const Candle = Schema.Struct({
  time: about(Schema.Int, "Start in Unix seconds, a multiple of 300"),
  open: amount("USD, exact to 8 decimals, as are the others"),
  high: Schema.Finite,
  low: Schema.Finite,
  close: amount("In the last candle: the newest price"),
}).annotate({ identifier: "PriceCandle" })
export type Candle = typeof Candle.Type

export const CandlesAnswer = Schema.Struct({ candles: Schema.Array(Candle) }).annotate({
  identifier: "PriceCandleList",
})
export type CandlesAnswer = typeof CandlesAnswer.Type

const priceWindow = {
  openPrice: amount("Price to beat in USD: the market's price at the window's start"),
  closePrice: amount("The market's price at the window's end; until then it follows the oracle"),
  timestamp: about(
    Schema.Int,
    "Time of closePrice in Unix milliseconds; once completed, the time when the market resolved",
  ),
  averageSeconds: about(
    Schema.Int,
    "Both prices are the mean of this many seconds up to the window's start and end; 0: the price of that moment",
  ),
  completed: flag("The market has resolved: the values are final"),
  incomplete: flag("The window is running, or its market has not resolved yet"),
}

/** Prices of a window, without the cache flag. */
export const PriceWindow = Schema.Struct(priceWindow).annotate({ identifier: "PriceWindow" })
export type PriceWindow = typeof PriceWindow.Type

export const PriceAnswer = Schema.Struct({
  ...priceWindow,
  cached: flag("Whether this response is cached, at most 10 seconds old unless its source is down"),
}).annotate({ identifier: "WindowPrice" })
export type PriceAnswer = typeof PriceAnswer.Type

const prices = about(Schema.Array(Schema.Finite), "0 to 1, in the order of the outcomes")

const ActiveMarket = Schema.Struct({
  question: Schema.String,
  conditionId: Schema.String,
  outcomes: text('A JSON array of names inside a string: "[\\"Up\\",\\"Down\\"]"'),
  outcomePrices: prices,
  tokenId: text("Token of the first outcome"),
  active: Schema.Boolean,
  closed: Schema.Boolean,
}).annotate({ identifier: "ActiveUpDownMarket" })

export const ActiveEntry = Schema.Struct({
  id: text("Empty, with no markets, for a window that the venue has not listed yet"),
  slug: text("{coin}-updown-5m-{windowStart}"),
  title: Schema.String,
  active: Schema.Boolean,
  closed: Schema.Boolean,
  startDate: text("When it was listed, about a day before its window, in ISO 8601 format"),
  endDate: text("When its window ends, in ISO 8601"),
  markets: Schema.Array(ActiveMarket),
}).annotate({ identifier: "ActiveUpDownEvent" })
export type ActiveEntry = typeof ActiveEntry.Type

export const ActiveAnswer = Schema.Struct({
  markets: about(Schema.Array(ActiveEntry), "One for each of BTC, ETH, SOL, BNB, XRP, DOGE and HYPE, in this order"),
  count: about(Schema.Int, "7"),
  windowStart: about(Schema.Int, "Start of the current five minutes, in Unix seconds"),
}).annotate({ identifier: "ActiveUpDownList" })
export type ActiveAnswer = typeof ActiveAnswer.Type

const ListedMarket = Schema.Struct({
  id: Schema.String,
  question: Schema.String,
  conditionId: Schema.String,
  outcomes: Schema.Array(Schema.String),
  outcomePrices: prices,
  volume: amount("USDC"),
  liquidity: amount("USDC"),
  active: Schema.Boolean,
  closed: Schema.Boolean,
  groupItemTitle: text("Name of the market within its event; empty for a single market"),
}).annotate({ identifier: "UpDownMarket" })

export const ListedEvent = Schema.Struct({
  id: Schema.String,
  slug: Schema.String,
  title: Schema.String,
  startDate: text("When it was listed, in ISO 8601"),
  endDate: text("ISO 8601; empty when the venue gives no end"),
  active: Schema.Boolean,
  volume: amount("USDC, as are the other amounts"),
  volume24hr: Schema.Finite,
  liquidity: Schema.Finite,
  openInterest: Schema.Finite,
  seriesSlug: text("Empty for an event without a series"),
  markets: Schema.Array(ListedMarket),
}).annotate({ identifier: "UpDownEvent" })
export type ListedEvent = typeof ListedEvent.Type

export const MarketsAnswer = Schema.Struct({ events: Schema.Array(ListedEvent) }).annotate({
  identifier: "UpDownMarketList",
})
export type MarketsAnswer = typeof MarketsAnswer.Type

export const SeriesEntry = Schema.Struct({
  id: Schema.String,
  slug: Schema.String,
  title: Schema.String,
  recurrence: text("5m, 15m, 1h, 4h, daily, weekly, monthly"),
  active: Schema.Boolean,
  eventCount: about(
    Schema.NullOr(Schema.Int),
    "Number of events of the series; null when there are none, or when some closed before the oldest ones that the catalogue has (`catalogue.closed-window`)",
  ),
}).annotate({ identifier: "UpDownSeries" })
export type SeriesEntry = typeof SeriesEntry.Type

export const SeriesAnswer = Schema.Struct({ series: Schema.Array(SeriesEntry), count: Schema.Int }).annotate({
  identifier: "UpDownSeriesList",
})
export type SeriesAnswer = typeof SeriesAnswer.Type
