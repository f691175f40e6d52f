import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { WebhookId } from "../model.ts"

export interface Backlog {
  readonly pending: number
  readonly failed: number
}

/** How many deliveries of each webhook are owed and how many were given up; those without any are not in it. */
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
