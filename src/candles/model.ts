import type { Price, Shares, Usdc } from "#src/domain/amounts.ts"

/** Seconds of a candle, by the name of its resolution. */
export const resolutions = {
  "1s": 1,
  "5s": 5,
  "15s": 15,
  "30s": 30,
  "1m": 60,
  "5m": 300,
  "15m": 900,
  "30m": 1_800,
  "1h": 3_600,
  "4h": 14_400,
  "6h": 21_600,
  "12h": 43_200,
  "1d": 86_400,
  "1w": 604_800,
} as const
export type CandleResolution = keyof typeof resolutions
export const resolutionNames = Object.keys(resolutions) as ReadonlyArray<CandleResolution>

/** Times are Unix seconds. */
export interface Candle {
  readonly start: number
  readonly open: Price
  readonly high: Price
  readonly low: Price
  readonly close: Price
  readonly shares: Shares<bigint>
  readonly usd: Usdc<bigint>
  /** What takers paid for what they bought. */
  readonly buyUsd: Usdc<bigint>
  readonly trades: number
  /** Undefined if there was no trade: the candle then repeats the close before it. */
  readonly trade: TradeBounds | undefined
}

/** The first and the last trade of a candle. */
export interface TradeBounds {
  readonly firstAt: number
  readonly lastAt: number
  readonly firstBlock: number
  readonly lastBlock: number
  readonly firstLogIndex: number
  readonly lastLogIndex: number
}

/** Whole candles from `start` to before `end`. */
export interface CandleWindow {
  readonly start: number
  readonly end: number
  readonly seconds: number
}
