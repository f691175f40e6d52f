import { exactPrice, type FinePrice } from "#src/domain/amounts.ts"
import type { Candle } from "./shapes.ts"

export const candleSeconds = 300
const candleCount = 30

/** Ticks of one source aggregated over one candle. Prices are in units of 10⁻⁸ USD. */
export interface SourceCandle {
  /** Start of the candle in seconds. */
  readonly time: number
  readonly open: FinePrice
  readonly high: FinePrice
  readonly low: FinePrice
  readonly close: FinePrice
  /** Time of the newest tick in milliseconds. */
  readonly lastAt: number
}

/** Start seconds of the candles up to the current one. */
export const candleTimes = (second: number): ReadonlyArray<number> => {
  const current = Math.floor(second / candleSeconds) * candleSeconds
  return Array.from({ length: candleCount }, (_, i) => current - (candleCount - 1 - i) * candleSeconds)
}

/** Times without a span. */
export const timesWithout = (
  times: ReadonlyArray<number>,
  spans: ReadonlyArray<SourceCandle>,
): ReadonlyArray<number> => {
  const covered = new Set(spans.map(({ time }) => time))
  return times.filter((time) => !covered.has(time))
}

/**
 * Candles at these times from the spans of several sources, preferred source first. A candle uses only the first source
 * with a tick in it: sources differ slightly, and mixing them would show moves that did not happen. Without a tick the
 * candle is flat at the previous close; candles before the first price are left out.
 */
export const candlesOf = (
  times: ReadonlyArray<number>,
  bySource: ReadonlyArray<ReadonlyArray<SourceCandle>>,
  closeBefore: FinePrice | undefined,
): ReadonlyArray<Candle> => {
  const chosen = new Map<number, SourceCandle>()
  for (const spans of bySource) for (const span of spans) if (!chosen.has(span.time)) chosen.set(span.time, span)
  const candles: Array<Candle> = []
  let close = closeBefore
  for (const time of times) {
    const span = chosen.get(time)
    close = span?.close ?? close
    if (close === undefined) continue
    const { open, high, low } = span ?? { open: close, high: close, low: close }
    candles.push({
      time,
      open: exactPrice(open),
      high: exactPrice(high),
      low: exactPrice(low),
      close: exactPrice(close),
    })
  }
  return candles
}
