import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { WebhookId } from "../model.ts"

/** Deliveries of all webhooks that were not delivered. */
export interface DeliveryTotals {
  readonly pending: number
  /** Of the pending ones, those that should have been sent by now. */
  readonly due: number
  readonly oldestDueAt: Date | null
  readonly failed: number
  readonly held: number
  readonly overCap: number
  readonly webhooks: number
  readonly disabled: number
}

/** Each part uses an index without delivered rows. */
export const totals = (sql: SqlClient) =>
  Effect.map(
    sql<DeliveryTotals>`
      select pending, due, "oldestDueAt", failed, held, "overCap", webhooks, disabled from
        (select count(*)::int as pending, count(*) filter (where next_at <= now())::int as due,
          min(next_at) filter (where next_at <= now()) as "oldestDueAt"
          from webhook_delivery where status = 'pending') p,
        (select count(*) filter (where status = 'failed')::int as failed,
          count(*) filter (where status = 'held')::int as held,
          count(*) filter (where status = 'over_cap')::int as "overCap"
          from webhook_delivery where status in ('held', 'failed', 'over_cap')) m,
        (select count(*)::int as webhooks,
          count(*) filter (where not active and disabled_at is not null)::int as disabled from webhook) w`,
    ([row]) => row as DeliveryTotals,
  )

/** How far a poller of the event log has read. */
export interface PollerPosition {
  readonly poller: string
  readonly seq: bigint
  readonly block: number
  readonly movedAt: Date
}

export const pollerPositions = (sql: SqlClient) =>
  sql<PollerPosition>`select poller, seq, block, moved_at as "movedAt" from webhook_cursor order by poller`

/** A webhook with deliveries that were not delivered. */
export interface TroubledWebhook {
  readonly id: WebhookId
  readonly account: string
  readonly url: string
  readonly active: boolean
  readonly disabledAt: Date | null
  readonly disabledReason: string | null
  readonly failingSince: Date | null
  readonly pending: number
  readonly failed: number
}

/** Webhooks that fail, are disabled or have a backlog; those with the largest backlog first. */
export const troubled = (sql: SqlClient, limit: number) => sql<TroubledWebhook>`
  select w.id, w.account_id as account, w.url, w.active, w.disabled_at as "disabledAt",
    w.disabled_reason as "disabledReason", h.failing_since as "failingSince",
    coalesce(p.pending, 0) as pending, coalesce(m.failed, 0) as failed
  from webhook w
  left join webhook_health h on h.webhook = w.id
  left join (select webhook, count(*)::int as pending from webhook_delivery where status = 'pending' group by webhook) p
    on p.webhook = w.id
  left join (select webhook, count(*)::int as failed from webhook_delivery
    where status in ('held', 'failed', 'over_cap') and status = 'failed' group by webhook) m on m.webhook = w.id
  where p.pending > 0 or m.failed > 0 or w.disabled_at is not null or h.failing_since is not null
  order by coalesce(p.pending, 0) + coalesce(m.failed, 0) desc, w.id limit ${limit}`
