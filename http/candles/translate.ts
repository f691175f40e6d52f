import type { Candle, CandleResolution, CandleWindow } from "#src/candles/model.ts"
import type { Outcome, Series } from "#src/candles/TokenCandles.ts"
import { candlesIn, startOf } from "#src/candles/window.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import { priceOf } from "#src/feed/amounts.ts"
import type { Candle as ShownCandle } from "./shapes.ts"

const shownPrices = ({ start, open, high, low, close, shares, usd, buyUsd, trades }: Candle) => ({
  time: start,
  open: exactAmount(open),
  high: exactAmount(high),
  low: exactAmount(low),
  close: exactAmount(close),
  volume: exactAmount(usd),
  volume_shares: exactAmount(shares),
  volume_buy: exactAmount(buyUsd),
  volume_sell: exactAmount(usd - buyUsd),
  trades,
  vwap: trades === 0 ? exactAmount(close) : priceOf(usd, shares),
})

const shownCandle = (candle: Candle): typeof ShownCandle.Type => ({
  ...shownPrices(candle),
  time_unix: candle.start,
  time_ms: candle.start * 1000,
  volume_usd: exactAmount(candle.usd),
  first_trade_ts: candle.trade?.firstAt ?? null,
  last_trade_ts: candle.trade?.lastAt ?? null,
  first_block: candle.trade?.firstBlock ?? null,
  last_block: candle.trade?.lastBlock ?? null,
  first_log_index: candle.trade?.firstLogIndex ?? null,
  last_log_index: candle.trade?.lastLogIndex ?? null,
  gap_filled: candle.trade === undefined,
})

const shownNames = ({ question, slug, name, image, condition, index }: Outcome) => ({
  question,
  slug,
  outcome: name,
  image,
  condition_id: condition,
  outcome_index: index,
})

/** Where the next candles with trades are, on either side of a window. */
const turnsOf = (series: ReadonlyArray<Series>, { seconds }: CandleWindow) => {
  const older = series.flatMap((each) => each.older ?? [])
  const newer = series.flatMap((each) => each.newer ?? [])
  return {
    older_end_ts: older.length === 0 ? null : startOf(Math.max(...older), seconds) + seconds,
    newer_start_ts: newer.length === 0 ? null : startOf(Math.min(...newer), seconds),
  }
}

export const shownSeries = ({ outcome, candles }: Series, resolution: CandleResolution, order: "asc" | "desc") => ({
  token_id: outcome.token,
  resolution,
  count: candles.length,
  candles: (order === "asc" ? candles : candles.toReversed()).map(shownCandle),
  ...shownNames(outcome),
})

interface WindowOptions {
  readonly limit: number
  readonly maxLimit: number
  readonly direction: "before" | "after"
  readonly order: "asc" | "desc"
  readonly withGaps: boolean
}

export const shownWindow = (window: CandleWindow, series: ReadonlyArray<Series>, options: WindowOptions) => {
  const turns = turnsOf(series, window)
  const more = { ...turns, has_older: turns.older_end_ts !== null, has_newer: turns.newer_start_ts !== null }
  const starts = series.flatMap(({ candles }) => candles.map(({ start }) => start))
  return {
    window: {
      start_ts: window.start,
      end_ts: window.end,
      first_bucket: starts.length === 0 ? null : Math.min(...starts),
      last_bucket: starts.length === 0 ? null : Math.max(...starts),
      duration_seconds: window.end - window.start,
      bucket_count: candlesIn(window),
      resolution_seconds: window.seconds,
      ...more,
    },
    pagination: {
      limit: options.limit,
      max_limit: options.maxLimit,
      direction: options.direction,
      order: options.order,
      has_more: options.direction === "before" ? more.has_older : more.has_newer,
      ...more,
    },
    gap_fill: options.withGaps,
  }
}

/** A series in the form of the older families. */
export const shownOnchain = (series: Series, window: CandleWindow, resolution: CandleResolution) => {
  const { candles, outcome } = series
  const { slug: _, outcome_index: __, ...names } = shownNames(outcome)
  return {
    token_id: outcome.token,
    resolution,
    window: {
      start_ts: window.start,
      end_ts: window.end,
      trade_count: candles.reduce((sum, { trades }) => sum + trades, 0),
      duration_seconds: window.end - window.start,
    },
    count: candles.length,
    candles: candles.map(shownPrices),
    pagination: turnsOf([series], window),
    ...names,
  }
}
