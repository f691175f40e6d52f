import { Duration } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import type { Attempt } from "../contracts.ts"
import type { WebhookEventType, WebhookId } from "../model.ts"
import type { SendResult } from "./Sender.ts"

/** A request to claim an attempt; the result must be recorded before `until`. */
export interface ClaimRequest extends Attempt {
  readonly now: Date
  readonly until: Date
}

export interface OverdueAttempt extends Attempt {
  readonly account: AccountId
  readonly url: string
}

/** Everything needed to send a delivery. */
export interface SendableDelivery {
  readonly webhook: WebhookId
  readonly account: AccountId
  readonly url: string
  readonly eventId: string
  readonly eventType: WebhookEventType
  readonly body: Uint8Array
  readonly secret: Uint8Array
  readonly previousSecret: Uint8Array | null
  readonly previousUntil: Date | null
}

/** A claimed attempt. Its number and `until` are the fencing token: a later claim of the same attempt has another time. */
export interface Claim extends Attempt {
  readonly _tag: "Claimed"
  readonly until: Date
  /** Attempts up to this one belong to an earlier round. */
  readonly firstAttempt: number
  readonly payload: SendableDelivery
}

/** `Obsolete` was made already, or is not pending any more. `Waits` is not due, or claimed by another worker, until then. */
export type ClaimResult = Claim | { readonly _tag: "Obsolete" } | { readonly _tag: "Waits"; readonly until: Date }

/** A delivery's status after an attempt. */
export type NextStatus =
  | { readonly status: "delivered" | "failed"; readonly nextAt: null }
  | { readonly status: "pending"; readonly nextAt: Date }

/** The endpoint asks to be sent nothing more. */
export const isGone = ({ statusCode }: Pick<SendResult, "statusCode">): boolean => statusCode === 410

/** `tries` is the number of the attempt within its round, from 1. */
export const nextStatus = (
  answer: Pick<SendResult, "success" | "statusCode">,
  tries: number,
  waits: ReadonlyArray<Duration.Duration>,
  now: number,
): NextStatus => {
  if (answer.success) return { status: "delivered", nextAt: null }
  const wait = waits[tries - 1]
  if (wait === undefined || isGone(answer)) return { status: "failed", nextAt: null }
  return { status: "pending", nextAt: new Date(now + Duration.toMillis(wait)) }
}

export interface AttemptResult {
  readonly claim: Claim
  readonly answer: SendResult
  readonly next: NextStatus
  readonly at: Date
}

/** Whether the claim was still valid, and how long the webhook has been failing if this attempt failed. */
export interface RecordResult {
  readonly counted: boolean
  readonly failingSince: Date | null
  readonly failures: number
}
