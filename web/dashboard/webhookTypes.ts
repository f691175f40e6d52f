import type { FieldSchema } from "./schema.ts"

/** The parts of the API's answers about webhooks that the dashboard shows. */

/** Blocks that follow a fact before it is sent, or that it is final. */
export type Confirmations = number | "finalized"

export interface Webhook {
  readonly id: string
  readonly url: string
  readonly event_types: ReadonlyArray<string>
  readonly filters: Readonly<Record<string, unknown>>
  readonly confirmations: Confirmations
  readonly active: boolean
  readonly seeding: boolean
  readonly description: string | null
  readonly disabled_reason: string | null
  readonly created_at: string
}

export interface Health {
  readonly id: string
  readonly attempts: number
  readonly success_rate: number | null
  readonly latency_p50_ms: number | null
  readonly last_success_at: string | null
  readonly last_failure_at: string | null
  readonly pending: number
  readonly oldest_due_at: string | null
  readonly missed: number
}

export interface HealthList {
  readonly webhooks: ReadonlyArray<Health>
}

export interface Attempt {
  readonly event_type: string
  readonly event_id: string
  readonly status_code: number | null
  readonly latency_ms: number
  readonly attempt: number
  readonly success: boolean
  readonly error: string | null
  readonly error_class: string | null
  readonly response: string | null
  readonly delivered_at: string
  readonly delivery_status: string | null
  readonly next_attempt_at: string | null
  readonly cursor: string
}

export interface Attempts {
  readonly deliveries: ReadonlyArray<Attempt>
  readonly count: number
}

export interface Delivery {
  readonly event_id: string
  readonly status: string
  readonly attempts: number
  readonly created_at: string
  readonly body: string
}

export interface EventType {
  readonly name: string
  readonly description: string
  readonly filters: ReadonlyArray<string>
  readonly required_filters: ReadonlyArray<string>
  readonly beta: boolean
  readonly cadence: string
  readonly confirmations: ReadonlyArray<Confirmations>
}

export interface EventTypes {
  readonly event_types: ReadonlyArray<EventType>
  readonly filters: Readonly<Record<string, FieldSchema>>
}

export interface Preview {
  readonly matched: number
  readonly by_type: Readonly<Record<string, number>>
  readonly since: string
  readonly complete: boolean
  readonly samples: ReadonlyArray<unknown>
}
