import type { CandleWindow } from "./model.ts"

const week = 604_800
/** 1 January 1970 was a Thursday; weeks begin on Monday. */
const mondayShift = 3 * 86_400

export const shiftOf = (seconds: number): number => (seconds === week ? mondayShift : 0)

/** The start of the candle that contains a second. */
export const startOf = (second: number, seconds: number): number => {
  const shift = shiftOf(seconds)
  return Math.floor((second + shift) / seconds) * seconds - shift
}

/** The first second of a later candle: a candle that has begun counts whole. */
const endOf = (second: number, seconds: number): number => {
  const start = startOf(second, seconds)
  return start === second ? start : start + seconds
}

/** The candles before a second, or from it on. */
export const windowAt = (
  anchor: number,
  direction: "before" | "after",
  count: number,
  seconds: number,
): CandleWindow => {
  if (direction === "after") {
    const start = startOf(anchor, seconds)
    return { start, end: start + count * seconds, seconds }
  }
  const end = endOf(anchor, seconds)
  return { start: Math.max(startOf(0, seconds), end - count * seconds), end, seconds }
}

/** The candles that contain the seconds from one to before another. */
export const windowBetween = (from: number, to: number, seconds: number): CandleWindow => ({
  start: startOf(from, seconds),
  end: endOf(to, seconds),
  seconds,
})

export const candlesIn = ({ start, end, seconds }: CandleWindow): number =>
  Math.max(0, Math.round((end - start) / seconds))
