import type { AsOf } from "#src/ledger/asOf.ts"

/** Realized gains and losses of a wallet. Money in 10⁻⁶. */
export interface RealizedSums {
  readonly realized: bigint
  readonly profit: bigint
  readonly wins: number
  readonly losses: number
  /** Sales, merges, refunds and resolutions, also those without gain or loss. */
  readonly events: number
}

/** All time, the last days before the newest block, or a range of Unix seconds: from the first up to but not the second. */
export type PnlWindow =
  | { readonly kind: "all" }
  | { readonly kind: "days"; readonly days: number }
  | { readonly kind: "range"; readonly after: number | undefined; readonly before: number | undefined }

/** The seconds that a window spans; undefined where it has no end. */
export interface Span {
  readonly after: number | undefined
  readonly before: number | undefined
}

export const granularities = ["hour", "day", "week", "month"] as const
export type Granularity = (typeof granularities)[number]

export interface Bucket extends RealizedSums {
  /** Its first second. */
  readonly start: number
  /** Realized from the start of the window to the end of this bucket. */
  readonly cumulative: bigint
}

export interface Buckets {
  /** Those with events, oldest first; if there are too many, the newest. */
  readonly buckets: ReadonlyArray<Bucket>
  /** Of the whole window. */
  readonly totals: RealizedSums
  readonly hasMore: boolean
  readonly span: Span
  readonly asOf: AsOf | undefined
}
