import { exactPrice } from "#src/domain/amounts.ts"
import type { Candle } from "./shapes.ts"

export const candleSeconds = 300
export const candleCount = 30

/** The ticks of one source in one candle. Prices are whole numbers of 10⁻⁸ USD. */
export interface Span {
  /** The candle's start, in seconds. */
  readonly time: number
  readonly open: bigint
  readonly high: bigint
  readonly low: bigint
  readonly close: bigint
  /** When the newest tick was, in milliseconds. */
  readonly lastAt: number
}

/** The starts of the candles that end with the current one, in seconds. */
export const candleTimes = (second: number): ReadonlyArray<number> => {
  const current = Math.floor(second / candleSeconds) * candleSeconds
  return Array.from({ length: candleCount }, (_, i) => current - (candleCount - 1 - i) * candleSeconds)
}

/** The times of the candles that no span is of. */
export const timesWithout = (times: ReadonlyArray<number>, spans: ReadonlyArray<Span>): ReadonlyArray<number> => {
  const there = new Set(spans.map(({ time }) => time))
  return times.filter((time) => !there.has(time))
}

/**
 * Candles of some times, from the spans of one or more sources, the preferred one first: a candle is made of one source
 * alone, the first that has a tick in it, because sources differ a little and a mixture would show moves that nobody saw.
 * Where there is no tick the candle is flat at the close before it; those before the first price are left out.
 */
export const candlesOf = (
  times: ReadonlyArray<number>,
  bySource: ReadonlyArray<ReadonlyArray<Span>>,
  closeBefore: bigint | undefined,
): ReadonlyArray<Candle> => {
  const chosen = new Map<number, Span>()
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
