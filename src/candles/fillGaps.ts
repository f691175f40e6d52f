import { type Price, shares, usdc } from "#src/domain/amounts.ts"
import type { Candle, CandleWindow } from "./model.ts"

const without = (start: number, close: Price): Candle => ({
  start,
  open: close,
  high: close,
  low: close,
  close,
  shares: shares(0n),
  usd: usdc(0n),
  buyUsd: usdc(0n),
  trades: 0,
  trade: undefined,
})

/** A candle for every step from the first known price until `until`: one without trades repeats the close before it. */
export const fillGaps = (
  { start, end, seconds }: CandleWindow,
  candles: ReadonlyArray<Candle>,
  closeBefore: Price | undefined,
  until: number,
): ReadonlyArray<Candle> => {
  const byStart = new Map(candles.map((candle) => [candle.start, candle]))
  const filled: Array<Candle> = []
  let close = closeBefore
  for (let at = start; at < Math.min(end, until); at += seconds) {
    const candle = byStart.get(at) ?? (close === undefined ? undefined : without(at, close))
    if (candle === undefined) continue
    filled.push(candle)
    close = candle.close
  }
  return filled
}
