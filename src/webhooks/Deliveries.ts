import { Context, type Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AccountId } from "#src/keys/model.ts"
import type { TxError } from "#src/platform/sqlFailure.ts"
import type { AttemptError, DeliveryStatus, WebhookEventType, WebhookId } from "./model.ts"

/** What came of one attempt; attempt 0 says why none was made. */
export interface AttemptRecord {
  readonly id: bigint
  readonly eventId: string
  readonly eventType: WebhookEventType
  readonly attempt: number
  readonly success: boolean
  readonly statusCode: number | null
  readonly latencyMs: number
  readonly errorClass: AttemptError | null
  readonly error: string | null
  /** The beginning of the answer's body. */
  readonly response: string | null
  readonly at: Date
  /** How the delivery stands now; null for test deliveries and those that are kept no longer. */
  readonly status: DeliveryStatus | null
  readonly nextAt: Date | null
  /** Rises with each delivery of a webhook. */
  readonly sequence: bigint | null
}

export interface HistoryOptions {
  readonly limit: number
  readonly offset: number
  /** Only attempts before this one, for paging that new attempts do not shift. */
  readonly before?: bigint | undefined
  readonly eventId?: string | undefined
  readonly success?: boolean | undefined
}

export interface TestResult {
  readonly delivered: boolean
  readonly statusCode: number | null
  readonly latencyMs: number
  readonly error: string | null
}

export interface Released {
  /** Put on their way. */
  readonly queued: number
  /** Left where they are, because the day's deliveries are used up. */
  readonly overCap: number
}

export interface ReplayOptions {
  readonly since: Date
  /** Also those that were delivered. */
  readonly delivered: boolean
}

/** What is owed to webhooks and what became of it. All of these are of a webhook that the caller has found to be its own. */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Attempts of a webhook, the newest first. */
    readonly history: (
      webhook: WebhookId,
      options: HistoryOptions,
    ) => Effect.Effect<ReadonlyArray<AttemptRecord>, SqlError>
    /** How many deliveries of the kept ones stand how. */
    readonly counts: (webhook: WebhookId) => Effect.Effect<Readonly<Record<DeliveryStatus, number>>, SqlError>
    /** Sends one now, active or not, and says what came of it. */
    readonly test: (webhook: WebhookId) => Effect.Effect<TestResult, SqlError>
    /** Sends a delivery again, whatever became of it; undefined where there is none of this event. */
    readonly redeliver: (
      webhook: WebhookId,
      account: AccountId,
      eventId: string,
    ) => Effect.Effect<Released | undefined, TxError>
    /** Sends again what was held, failed or over the cap since a moment. */
    readonly replay: (
      webhook: WebhookId,
      account: AccountId,
      options: ReplayOptions,
    ) => Effect.Effect<Released, TxError>
  }
>()("presage/webhooks/Deliveries") {}
