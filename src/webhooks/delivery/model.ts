import type { AccountId } from "#src/domain/Account.ts"
import type { Attempt } from "../contracts.ts"
import type { WebhookEventType, WebhookId } from "../model.ts"
import type { Answer } from "./Sender.ts"

/** An attempt that is asked for, and until when whoever makes it must have recorded its result. */
export interface Asked extends Attempt {
  readonly now: Date
  readonly until: Date
}

/** An attempt that should long have been made, and for whom and where to. */
export interface Overdue extends Attempt {
  readonly account: AccountId
  readonly url: string
}

/** What is needed to send a delivery. */
export interface Parcel {
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

/** An attempt that is ours to make. Number and time fence it: another claim of the same attempt has another time. */
export interface Claim extends Attempt {
  readonly _tag: "Claimed"
  readonly until: Date
  /** Attempts up to this one belong to an earlier round. */
  readonly firstAttempt: number
  readonly parcel: Parcel
}

/** `Over` has been made, or is not owed any more. `Waits` is not due, or somebody else is at it, until that moment. */
export type Claiming = Claim | { readonly _tag: "Over" } | { readonly _tag: "Waits"; readonly until: Date }

/** What comes after an attempt. */
export type Fate =
  | { readonly status: "delivered" | "failed"; readonly nextAt: null }
  | { readonly status: "pending"; readonly nextAt: Date }

export interface Outcome {
  readonly claim: Claim
  readonly answer: Answer
  readonly fate: Fate
  readonly at: Date
}

/** Whether an outcome still counted, and how long its webhook has been failing if this made it worse. */
export interface Recorded {
  readonly counted: boolean
  readonly failingSince: Date | null
  readonly failures: number
}
