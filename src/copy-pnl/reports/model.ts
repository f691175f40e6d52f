import { Schema } from "effect"
import { Flight } from "#src/mesh/shared-runs/model.ts"
import type { factKinds } from "../copyPnl.ts"
import { Address } from "../model.ts"

/** What somebody wants to know at once. Times are milliseconds; what happened after `after` up to `until` counts. */
export const Question = Schema.Struct({
  wallets: Schema.Array(Address),
  after: Schema.Int,
  until: Schema.Int,
  /** Newest trades to be shown of each wallet. */
  trades: Schema.Int,
})
export type Question = typeof Question.Type

export const Asked = Schema.Struct({ flight: Flight, question: Question })

const Trade = Schema.Struct({
  tx: Schema.String,
  order: Schema.String,
  at: Schema.Int,
  /** Hexadecimal, without 0x. */
  token: Schema.String,
  side: Schema.Int,
  shares: Schema.BigInt,
  usd: Schema.BigInt,
})
export type Trade = typeof Trade.Type

/** What positions say of the window, beside cash. */
export const Sums = Schema.Struct({
  realized: Schema.BigInt,
  closed: Schema.Int,
  boughtShares: Schema.BigInt,
  boughtUsd: Schema.BigInt,
  holdSeconds: Schema.NullOr(Schema.Finite),
})
export type Sums = typeof Sums.Type

export const Report = Schema.TaggedStruct("Report", {
  wallet: Address,
  actual: Schema.BigInt,
  backtest: Schema.BigInt,
  trades: Schema.Int,
  partial: Schema.Boolean,
  computedAt: Schema.Int,
  counts: Schema.Struct({
    buy: Schema.Int,
    sell: Schema.Int,
    split: Schema.Int,
    merge: Schema.Int,
    redemption: Schema.Int,
    conversion: Schema.Int,
  } satisfies Record<(typeof factKinds)[number], Schema.Top>),
  /** Nothing where the time did not suffice. */
  sums: Schema.NullOr(Sums),
  shown: Schema.Array(Trade),
})
export type Report = typeof Report.Type

/** Nothing could be read of this wallet. */
export const Unread = Schema.TaggedStruct("Unread", { wallet: Address, reason: Schema.String })
export type Unread = typeof Unread.Type

export const Outcome = Schema.Union([Report, Unread])
export type Outcome = typeof Outcome.Type

/** One wallet's outcome as it goes over Redis. */
export const OutcomeText = Schema.fromJsonString(Schema.toCodecJson(Outcome))
