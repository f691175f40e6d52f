import { Schema } from "effect"
import { SharedRun } from "#src/mesh/shared-runs/model.ts"
import type { factKinds } from "../copyPnl.ts"
import { Address } from "../model.ts"

const Usdc = Schema.BigInt.pipe(Schema.brand("Usdc"))
const Shares = Schema.BigInt.pipe(Schema.brand("Shares"))

/** A request for scores on demand. Times are milliseconds; facts after `after` up to and including `until` count. */
export const ReportRequest = Schema.Struct({
  wallets: Schema.Array(Address),
  after: Schema.Int,
  until: Schema.Int,
  /** Newest trades to return per wallet. */
  trades: Schema.Int,
  /** Whether a copier trades at recorded order books where there are some. */
  depth: Schema.optionalKey(Schema.Literal(true)),
})
export type ReportRequest = typeof ReportRequest.Type

export const ReportQuery = Schema.Struct({ run: SharedRun, question: ReportRequest })

const Trade = Schema.Struct({
  tx: Schema.String,
  order: Schema.String,
  at: Schema.Int,
  /** Hexadecimal, without 0x. */
  token: Schema.String,
  side: Schema.Int,
  shares: Shares,
  usd: Usdc,
})
export type Trade = typeof Trade.Type

/** Figures of the window that come from positions. */
export const Sums = Schema.Struct({
  realized: Usdc,
  closed: Schema.Int,
  boughtShares: Shares,
  boughtUsd: Usdc,
  holdSeconds: Schema.NullOr(Schema.Finite),
})
export type Sums = typeof Sums.Type

/** What recorded order books changed. */
const Depth = Schema.Struct({
  /** Fills that a copier made at a recorded book; all others cost the flat 2 %. */
  fromBook: Schema.Int,
  /** Fills with a recorded book that had too few shares. */
  tooThin: Schema.Int,
  /** The copier's result if all fills cost the flat 2 %. */
  flatBacktest: Usdc,
})
export type Depth = typeof Depth.Type

export const Report = Schema.TaggedStruct("Report", {
  wallet: Address,
  actual: Usdc,
  backtest: Usdc,
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
  /** Null when the time limit was reached. */
  sums: Schema.NullOr(Sums),
  shown: Schema.Array(Trade),
  /** Null if it was not asked for, or the time limit was reached before. */
  depth: Schema.NullOr(Depth),
})
export type Report = typeof Report.Type

/** This wallet could not be read. */
const Unreadable = Schema.TaggedStruct("Unread", { wallet: Address, reason: Schema.String })
export type Unreadable = typeof Unreadable.Type

export const WalletReport = Schema.Union([Report, Unreadable])
export type WalletReport = typeof WalletReport.Type

/** One wallet's report as sent over Redis. */
export const WalletReportText = Schema.fromJsonString(Schema.toCodecJson(WalletReport))
