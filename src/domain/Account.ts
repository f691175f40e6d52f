import { Schema } from "effect"
import type { Plan } from "./Plan.ts"

export const AccountId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

export const KeyId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("KeyId"))
export type KeyId = typeof KeyId.Type

/** The account and key behind an authenticated request. */
export interface Caller {
  readonly account: AccountId
  readonly key: KeyId
  /** The first key of a rotation chain; per-key limits count by it. */
  readonly lineage: KeyId
  readonly plan: Plan
  readonly standardPerMinute: number
  readonly heavyPerMinute: number
}
