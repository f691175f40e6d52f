import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { type UndeliveredStatus, undeliveredStatuses, type WebhookId } from "../model.ts"
import type { AttemptRecord, HistoryOptions } from "./Deliveries.ts"
import { uuidOf } from "./eventIds.ts"

/** Attempts of one event, by its delivery; test deliveries have none. */
const ofEvent = (sql: SqlClient, webhook: WebhookId, eventId: string) => {
  const uuid = uuidOf(eventId)
  return uuid === undefined
    ? sql`delivery is null and event_id = ${eventId}`
    : sql`delivery = (select id from webhook_delivery where webhook = ${webhook} and event_id = ${uuid}::uuid)`
}

/** Attempts of a webhook, the newest first, and how their deliveries stand now. */
export const history = (sql: SqlClient, webhook: WebhookId, options: HistoryOptions) => {
  const { limit, offset, before, eventId, success } = options
  const conditions = [
    sql`webhook = ${webhook}`,
    ...(before === undefined ? [] : [sql`id < ${before}`]),
    ...(eventId === undefined ? [] : [ofEvent(sql, webhook, eventId)]),
    // Said as it is in the index of those that failed.
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

/** Each half by an index that has no delivered ones in it. */
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
