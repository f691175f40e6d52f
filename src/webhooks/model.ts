import { Schema } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import type { PositionStatus } from "#src/ledger/positions/model.ts"

/** Event types of webhooks. */
export const webhookEventTypes = [
  "trade",
  "large_trade",
  "builder_trade",
  "first_trade",
  "price_change",
  "market_resolved",
  "market_created",
  "pnl_change",
  "position_status_change",
  "redemption",
  "split",
  "merge",
  "neg_risk_conversion",
  "fee_earned",
  "wallet_activity",
  "order_complete",
] as const
export const WebhookEventType = Schema.Literals(webhookEventTypes)
export type WebhookEventType = typeof WebhookEventType.Type

export const WebhookId = Schema.String.check(Schema.isPattern(/^wh_[0-9a-f]{12}$/)).pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type

/**
 * How certain a fact must be before it is delivered: in a block, followed by `webhooks.confirmations` blocks, or final, so
 * that no reorganisation can remove it.
 */
export const confirmationLevels = ["included", "confirmed", "finalized"] as const
export type ConfirmationLevel = (typeof confirmationLevels)[number]

/** Every given filter must match, and one value of a list is enough. Validated and normalized. */
export interface Filters {
  readonly wallet_addresses?: ReadonlyArray<string>
  readonly token_ids?: ReadonlyArray<string>
  readonly condition_ids?: ReadonlyArray<string>
  readonly event_slugs?: ReadonlyArray<string>
  readonly tags?: ReadonlyArray<string>
  readonly builder_codes?: ReadonlyArray<string>
  readonly receiver_addresses?: ReadonlyArray<string>
  readonly min_amount_usd?: number
  readonly min_fee_usd?: number
  readonly min_delta_pct?: number
  readonly min_pnl_change_usd?: number
  readonly min_total_usd?: number
  readonly side?: "BUY" | "SELL"
  readonly status_from?: PositionStatus
  readonly status_to?: PositionStatus
}
export type FilterName = keyof Filters

/** A webhook without its secrets. */
export interface Webhook {
  readonly id: WebhookId
  readonly account: AccountId
  readonly url: string
  readonly eventTypes: ReadonlyArray<WebhookEventType>
  readonly filters: Filters
  readonly level: ConfirmationLevel
  readonly description: string | null
  /** False while paused or disabled. */
  readonly active: boolean
  readonly disabledAt: Date | null
  readonly disabledReason: string | null
  /** False if the secrets of the whole service were lost: it needs a new one. */
  readonly hasSecret: boolean
  /** Whether positions of its wallets are still being copied; nothing waits for it. */
  readonly seeding: boolean
  /** Log entries up to this one are ignored. */
  readonly since: bigint
  readonly createdAt: Date
  readonly updatedAt: Date
}

export const deliveryStatuses = ["pending", "delivered", "failed", "held", "over_cap"] as const
/**
 * `pending` is due now or later. `failed` has had its five attempts. `held` was matched while its webhook was not
 * active, `over_cap` when the day's deliveries of the account's plan were used up; both can be replayed.
 */
export type DeliveryStatus = (typeof deliveryStatuses)[number]

export const undeliveredStatuses = ["pending", "held", "failed", "over_cap"] as const
export type UndeliveredStatus = (typeof undeliveredStatuses)[number]

/** Why an attempt failed, as far as the webhook's owner may know. */
export const attemptErrors = [
  "status",
  "timeout",
  "dns",
  "connect",
  "tls",
  "protocol",
  "blocked",
  "redirect",
  "held",
  "over_cap",
] as const
export type AttemptError = (typeof attemptErrors)[number]
