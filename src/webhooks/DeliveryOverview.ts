import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { pgArray } from "#src/platform/pgArray.ts"
import type { WebhookId } from "./model.ts"

export interface Backlog {
  readonly pending: number
  readonly failed: number
}

/** How many deliveries of each webhook are owed and how many were given up; those without any are not in it. */
export const backlogs = (sql: SqlClient, webhooks: ReadonlyArray<WebhookId>) =>
  Effect.map(
    sql<Backlog & { webhook: WebhookId }>`
      select webhook, count(*) filter (where status = 'pending')::int as pending,
        count(*) filter (where status = 'failed')::int as failed
      from webhook_delivery where webhook = any(${pgArray("text", webhooks)}) and status in ('pending', 'failed')
      group by webhook`,
    (rows): ReadonlyMap<WebhookId, Backlog> =>
      new Map(rows.map(({ webhook, pending, failed }) => [webhook, { pending, failed }])),
  )

/** The events whose deliveries were given up, the oldest first. */
export const failedEvents = (sql: SqlClient, webhook: WebhookId) =>
  Effect.map(
    sql<{ event: string }>`
      select 'evt_' || event_id as event from webhook_delivery where webhook = ${webhook} and status = 'failed' order by id`,
    (rows) => rows.map(({ event }) => event),
  )
