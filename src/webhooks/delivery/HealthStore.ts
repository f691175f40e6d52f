import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { AccountId } from "#src/domain/Account.ts"
import type { WebhookId } from "../model.ts"

/** How the deliveries of a webhook fare. */
export interface WebhookHealth {
  readonly webhook: WebhookId
  /** The newest attempts of the last 24 hours, up to `mostAttempts`, without test deliveries. */
  readonly attempts: number
  readonly successes: number
  /** Median latency of those that got an answer. */
  readonly latencyP50Ms: number | null
  readonly lastSuccessAt: Date | null
  readonly lastFailureAt: Date | null
  readonly pending: number
  /** When the pending attempt that waits longest was due. */
  readonly oldestDueAt: Date | null
  /** Kept deliveries that can be replayed. */
  readonly missed: number
}

const mostAttempts = 500

/** Health of all webhooks of an account. */
export const healthOf = (sql: SqlClient, account: AccountId, now: Date) =>
  Effect.map(
    sql<WebhookHealth>`
      select w.id as webhook, made.*, waiting.*, missed.*
      from webhook w
      cross join lateral (
        select count(*)::int as attempts, count(*) filter (where success)::int as successes,
          percentile_disc(0.5) within group (order by latency_ms) filter (where status_code is not null) as "latencyP50Ms",
          max(at) filter (where success) as "lastSuccessAt", max(at) filter (where not success) as "lastFailureAt"
        from (
          select * from webhook_attempt a where a.webhook = w.id order by a.id desc limit ${mostAttempts}
        ) newest
        where attempt > 0 and delivery is not null and at > ${now}::timestamptz - interval '1 day'
      ) made
      cross join lateral (
        select count(*)::int as pending, min(next_at) filter (where next_at <= ${now}::timestamptz) as "oldestDueAt"
        from webhook_delivery d where d.webhook = w.id and d.status = 'pending'
      ) waiting
      cross join lateral (
        select count(*)::int as missed
        from webhook_delivery d where d.webhook = w.id and d.status in ('held', 'failed', 'over_cap')
      ) missed
      where w.account_id = ${account} order by w.created_at desc, w.id`,
    (rows): ReadonlyArray<WebhookHealth> => rows,
  )
