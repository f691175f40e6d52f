import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { uuidOf } from "../eventId.ts"
import {
  type AttemptError,
  type DeliveryStatus,
  type UndeliveredStatus,
  undeliveredStatuses,
  type WebhookEventType,
  type WebhookId,
} from "../model.ts"

/** An attempt; attempt 0 records why none was made. */
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
  /** The beginning of the response body. */
  readonly response: string | null
  readonly at: Date
  /** The delivery's status now; null for test deliveries and those no longer kept. */
  readonly status: DeliveryStatus | null
  readonly nextAt: Date | null
  /** Ascends with each delivery of a webhook, with gaps. */
  readonly sequence: bigint | null
}

/** What is owed to a webhook, with the bytes that are sent. */
export interface DeliveryRecord {
  readonly eventType: WebhookEventType
  readonly status: DeliveryStatus
  readonly attempt: number
  readonly body: Uint8Array
  readonly createdAt: Date
  readonly finishedAt: Date | null
  readonly nextAt: Date | null
}

/** The delivery of an event; undefined if it is not kept. */
export const delivery = (sql: SqlClient, webhook: WebhookId, uuid: string) =>
  Effect.map(
    sql<DeliveryRecord>`
      select event_type as "eventType", status, attempt, body, created_at as "createdAt", finished_at as "finishedAt",
        case when status = 'pending' then next_at end as "nextAt"
      from webhook_delivery where webhook = ${webhook} and event_id = ${uuid}::uuid`,
    ([row]) => row,
  )

export interface HistoryOptions {
  readonly limit: number
  readonly offset: number
  /** Only attempts before this one, for paging that new attempts do not shift. */
  readonly before?: bigint | undefined
  readonly eventId?: string | undefined
  readonly success?: boolean | undefined
}

/** Attempts of one event, by its delivery; test deliveries have no row. */
const ofEvent = (sql: SqlClient, webhook: WebhookId, eventId: string) => {
  const uuid = uuidOf(eventId)
  return uuid === undefined
    ? sql`delivery is null and event_id = ${eventId}`
    : sql`delivery = (select id from webhook_delivery where webhook = ${webhook} and event_id = ${uuid}::uuid)`
}

/** Attempts of a webhook, newest first, with the current status of their deliveries. */
export const history = (sql: SqlClient, webhook: WebhookId, options: HistoryOptions) => {
  const { limit, offset, before, eventId, success } = options
  const conditions = [
    sql`webhook = ${webhook}`,
    ...(before === undefined ? [] : [sql`id < ${before}`]),
    ...(eventId === undefined ? [] : [ofEvent(sql, webhook, eventId)]),
    // Written as in the partial index of failures.
    ...(success === undefined ? [] : [success ? sql`success` : sql`not success`]),
  ]
  return sql<AttemptRecord>`
    select a.id, a.event_id as "eventId", a.event_type as "eventType", a.attempt, a.success,
      a.status_code as "statusCode", a.latency_ms as "latencyMs", a.error_class as "errorClass", a.error, a.response,
      a.at, d.status, case when d.status = 'pending' then d.next_at end as "nextAt", a.delivery as sequence
    from (
      select * from webhook_attempt where ${sql.and(conditions)} order by id desc limit ${limit} offset ${offset}
    ) a left join webhook_delivery d on d.id = a.delivery
    order by a.id desc`
}

/** Each half uses an index without delivered rows. */
export const counts = (sql: SqlClient, webhook: WebhookId) =>
  Effect.map(
    sql<{ status: UndeliveredStatus; count: number }>`
      select 'pending' as status, count(*)::int as count from webhook_delivery
      where webhook = ${webhook} and status = 'pending'
      union all
      select status, count(*)::int from webhook_delivery
      where webhook = ${webhook} and status in ('held', 'failed', 'over_cap') group by status`,
    (rows) => {
      const found = new Map(rows.map(({ status, count }) => [status, count]))
      return Object.fromEntries(undeliveredStatuses.map((status) => [status, found.get(status) ?? 0])) as Record<
        UndeliveredStatus,
        number
      >
    },
  )

export interface Backlog {
  readonly pending: number
  readonly failed: number
}

/** Pending and failed deliveries of each webhook; without any, a webhook is left out. */
export const backlogs = (sql: SqlClient, webhooks: ReadonlyArray<WebhookId>) =>
  Effect.map(
    sql<Backlog & { webhook: WebhookId }>`
      select webhook, sum(pending)::int as pending, sum(failed)::int as failed from (
        select webhook, count(*) as pending, 0 as failed from webhook_delivery
        where webhook = any(${pgArray("text", webhooks)}) and status = 'pending' group by webhook
        union all
        select webhook, 0, count(*) from webhook_delivery
        where webhook = any(${pgArray("text", webhooks)}) and status in ('held', 'failed', 'over_cap')
          and status = 'failed' group by webhook
      ) as counted group by webhook`,
    (rows): ReadonlyMap<WebhookId, Backlog> =>
      new Map(rows.map(({ webhook, pending, failed }) => [webhook, { pending, failed }])),
  )
