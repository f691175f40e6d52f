import { Schema } from "effect"
import type { CopyScore } from "./copyPnl.ts"

/** How many days back a score reaches, by the name of its period. */
export const periodDays = { "7d": 7, "14d": 14, "30d": 30, "60d": 60, "90d": 90, "180d": 180 } as const
export type Period = keyof typeof periodDays
export const periods = Object.keys(periodDays) as ReadonlyArray<Period>
export const isPeriod = (text: string): text is Period => Object.hasOwn(periodDays, text)

/** Rising, so that a walk from the newest fact on completes them one after the other. */
export const scoredDays: ReadonlyArray<number> = periods.map((period) => periodDays[period])

export const dayMillis = 86_400_000

/** Wallets that one account may follow. */
export const mostFollowed = 1_000

const address = /^0x[0-9a-f]{40}$/
/** A wallet's address in lower case; that of one that never traded as well. */
export const Address = Schema.String.check(Schema.isPattern(address)).pipe(Schema.brand("copy-pnl/Address"))
export type Address = typeof Address.Type

const isAddress = Schema.is(Address)
/** Accepted in any case; nothing for what is no address. */
export const addressOf = (text: string): Address | undefined => {
  const lower = text.toLowerCase()
  return isAddress(lower) ? lower : undefined
}

export const bytesOf = (wallet: Address): Buffer => Buffer.from(wallet.slice(2), "hex")
export const addressFrom = (bytes: Uint8Array): Address => Address.make(`0x${Buffer.from(bytes).toString("hex")}`)

/** A score of one wallet and period, as it is kept. */
export interface KeptScore extends CopyScore {
  readonly days: number
  /** Only the newest part of the window was looked at: the time did not suffice. */
  readonly partial: boolean
  readonly computedAt: Date
}

/** A wallet of a pool with what is known of it. */
export interface Followed {
  readonly wallet: Address
  /** Why it could not be scored last time. Scores from before are kept. */
  readonly error: { readonly reason: string; readonly at: Date } | undefined
  /** By days. */
  readonly scores: ReadonlyMap<number, KeptScore>
}

/** Nothing could be looked at within the time. */
export class TimedOut extends Schema.TaggedError<TimedOut>()("TimedOut", { seconds: Schema.Number }) {
  override get message() {
    return `timeout_${this.seconds}s`
  }
}

/** A fact that cannot be reckoned with exactly. */
export class AmountTooLarge extends Schema.TaggedError<AmountTooLarge>()("AmountTooLarge", {}) {
  override get message() {
    return "amount_too_large"
  }
}
