import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Overdue } from "./model.ts"

/** What became due this recently has a job that is about to run. */
const onItsWay = 3_000
const most = 10_000
const mostOfWebhook = 300

/**
 * The oldest of every webhook, so that one with a long backlog hides nobody else's. Goes through the index from one
 * webhook to the next: what it costs depends on how many webhooks are owed something, not on how much.
 */
export const overdueOf = (sql: SqlClient, now: number) => {
  const before = new Date(now - onItsWay)
  return sql<Overdue>`
    with recursive owed as (
      (select webhook, next_at from webhook_delivery where status = 'pending' order by webhook, next_at limit 1)
      union all
      select n.webhook, n.next_at
      from owed o cross join lateral (
        select d.webhook, d.next_at from webhook_delivery d
        where d.status = 'pending' and d.webhook > o.webhook order by d.webhook, d.next_at limit 1
      ) n
    ), late as materialized (
      select webhook from owed where next_at <= ${before}::timestamptz
    )
    select d.id::text as delivery, case when d.claimed_until is null then d.attempt + 1 else d.attempt end as attempt,
      w.account_id as account, w.url
    from late join webhook w on w.id = late.webhook cross join lateral (
      select id, attempt, claimed_until, next_at from webhook_delivery
      where status = 'pending' and webhook = late.webhook and next_at <= ${before}::timestamptz
        and (claimed_until is null or claimed_until <= ${new Date(now)}::timestamptz)
      order by next_at
      limit (select greatest(1, least(${mostOfWebhook}::int8, ${most}::int8 / count(*))) from late)
    ) d
    order by d.next_at`
}
