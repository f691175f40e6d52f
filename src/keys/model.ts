import { Schema } from "effect"
import { allowances, type Plan } from "#src/domain/Plan.ts"

export const AccountId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

export const KeyId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("KeyId"))
export type KeyId = typeof KeyId.Type

/** Who pays, and what was agreed beside the plan. */
export interface Account {
  readonly id: AccountId
  readonly name: string
  readonly plan: Plan
  readonly active: boolean
  readonly createdAt: Date
  /** Requests a minute agreed for this account alone; `null` is what the plan grants. */
  readonly standardPerMinute: number | null
  readonly heavyPerMinute: number | null
}

/** A key as it may be shown: never the key itself. */
export interface KeyRecord {
  readonly id: KeyId
  readonly account: AccountId
  readonly name: string
  /** Its first 12 and last 4 characters. */
  readonly shown: string
  readonly createdAt: Date
  readonly revokedAt: Date | null
}

/** Who is asking, once the key is known to be good. */
export interface Caller {
  readonly account: AccountId
  readonly key: KeyId
  readonly plan: Plan
  readonly standardPerMinute: number
  readonly heavyPerMinute: number
}

export const callerOf = (key: KeyId, account: Account): Caller => ({
  account: account.id,
  key,
  plan: account.plan,
  standardPerMinute: account.standardPerMinute ?? allowances[account.plan].standardPerMinute,
  heavyPerMinute: account.heavyPerMinute ?? allowances[account.plan].heavyPerMinute,
})
