import { Schema } from "effect"
import type { CopyScore } from "./copyPnl.ts"

/** Days of a score's window, by period name. */
export const periodDays = { "7d": 7, "14d": 14, "30d": 30, "60d": 60, "90d": 90, "180d": 180 } as const
export type ScorePeriod = keyof typeof periodDays
export const periods = Object.keys(periodDays) as ReadonlyArray<ScorePeriod>

/** Ascending, so that a walk from the newest fact completes them one after the other. */
export const scoredDays: ReadonlyArray<number> = periods.map((period) => periodDays[period])

/** Wallets that one account may follow. */
export const mostFollowed = 1_000

const address = /^0x[0-9a-f]{40}$/
/** A wallet's address in lower case, whether or not it ever traded. */
export const Address = Schema.String.check(Schema.isPattern(address)).pipe(Schema.brand("copy-pnl/Address"))
export type Address = typeof Address.Type

const isAddress = Schema.is(Address)
/** Accepts any case; undefined for anything else. */
export const addressOf = (text: string): Address | undefined => {
  const lower = text.toLowerCase()
  return isAddress(lower) ? lower : undefined
}

export const bytesOf = (wallet: Address): Buffer => Buffer.from(wallet.slice(2), "hex")
export const addressFrom = (bytes: Uint8Array): Address => Address.make(`0x${Buffer.from(bytes).toString("hex")}`)

/** A stored score of one wallet and period. */
export interface StoredScore extends CopyScore {
  readonly days: number
  /** Only the newest part of the window was read before the time limit. */
  readonly partial: boolean
  readonly computedAt: Date
}

/** A wallet of a pool with its scores. */
export interface Followed {
  readonly wallet: Address
  /** Why the last attempt failed. Earlier scores are kept. */
  readonly error: { readonly reason: string; readonly at: Date } | undefined
  /** By days. */
  readonly scores: ReadonlyMap<number, StoredScore>
}

/** No facts could be read before the time limit. */
export class TimedOut extends Schema.TaggedError<TimedOut>()("TimedOut", { seconds: Schema.Number }) {
  override get message() {
    return `timeout_${this.seconds}s`
  }
}

/** A fact too large to be computed exactly. */
export class AmountTooLarge extends Schema.TaggedError<AmountTooLarge>()("AmountTooLarge", {}) {
  override get message() {
    return "amount_too_large"
  }
}
