import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { AttemptError, DeliveryStatus, WebhookEventType, WebhookId } from "../model.ts"

export interface NewDelivery {
  readonly webhook: WebhookId
  readonly event_id: string
  readonly event_type: WebhookEventType
  readonly body: Buffer
  readonly status: DeliveryStatus
  readonly next_at: Date | null
  readonly created_at: Date
}

export interface WrittenDelivery {
  readonly id: bigint
  readonly webhook: WebhookId
  readonly event_id: string
  readonly status: DeliveryStatus
}

const insert = bulkInsert<NewDelivery>({
  table: "webhook_delivery",
  columns: {
    webhook: "text",
    event_id: "uuid",
    event_type: "text",
    body: "bytea",
    status: "text",
    next_at: "timestamptz",
    created_at: "timestamptz",
  },
  suffix: "on conflict (webhook, event_id) do nothing returning id, webhook, event_id, status",
})

/** Returns the rows that did not exist yet. */
export const insertDeliveries = (sql: SqlClient, rows: ReadonlyArray<NewDelivery>) => insert<WrittenDelivery>(sql, rows)

export const markOverCap = (sql: SqlClient, ids: ReadonlyArray<bigint>) => sql`
  update webhook_delivery set status = 'over_cap', next_at = null where id = any(${pgArray("int8", ids)})`

/** Attempt 0 records why nothing was sent. */
export const insertUnsent = bulkInsert<{
  readonly webhook: WebhookId
  readonly delivery: bigint
  readonly event_id: string
  readonly event_type: WebhookEventType
  readonly attempt: number
  readonly success: boolean
  readonly latency_ms: number
  readonly error_class: AttemptError
  readonly error: string
  readonly at: Date
}>({
  table: "webhook_attempt",
  columns: {
    webhook: "text",
    delivery: "int8",
    event_id: "text",
    event_type: "text",
    attempt: "int4",
    success: "bool",
    latency_ms: "int4",
    error_class: "text",
    error: "text",
    at: "timestamptz",
  },
})
