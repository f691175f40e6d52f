import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { unnest } from "#src/platform/sql/pgArray.ts"
import { unsentReasons } from "./failure.ts"
import type {
  AttemptResult,
  Claim,
  ClaimRequest,
  ClaimResult,
  OverdueAttempt,
  RecordResult,
  SendableDelivery,
} from "./model.ts"

interface ClaimRow extends SendableDelivery {
  readonly index: number
  /** Due, and claimed by no other worker. */
  readonly claimable: boolean
  readonly active: boolean
  readonly firstAttempt: number
  /** If not claimable: when to try again, or null if the attempt is obsolete. */
  readonly waitsUntil: Date | null
}

/** Claims due attempts and holds those of inactive webhooks or accounts. */
export const claimAll = Effect.fnUntraced(function* (sql: SqlClient, requests: ReadonlyArray<ClaimRequest>) {
  // The same attempt may be requested twice: the second request waits for the first.
  const firsts = new Map(requests.map((one, i) => [`${one.delivery}-${one.attempt}`, i] as const).reverse())
  const indexes = [...firsts.values()]
  const requested = unnest(
    sql,
    "a",
    indexes.map((index) => ({ ...(requests[index] as ClaimRequest), index })),
    {
      index: ["int4", (one) => one.index],
      id: ["int8", (one) => BigInt(one.delivery)],
      attempt: ["int4", (one) => one.attempt],
      now: ["timestamptz", (one) => one.now],
      until: ["timestamptz", (one) => one.until],
    },
  )
  const rows = yield* sql<ClaimRow>`
    with found as (
      select a.index, a.id, a.attempt, a.now, a.until, d.webhook, d.event_id, d.event_type, d.body, d.first_attempt,
        d.status = 'pending' and d.next_at <= a.now and (
          d.attempt = a.attempt - 1 and d.claimed_until is null
          or d.attempt = a.attempt and d.claimed_until <= a.now) as claimable,
        case when d.status <> 'pending' then null
          when d.attempt = a.attempt - 1 and d.claimed_until is null then d.next_at
          when d.attempt = a.attempt then d.claimed_until end as waits_until,
        w.account_id, w.url, w.active and o.active as active, w.secret, w.previous_secret, w.previous_until
      from ${requested} join webhook_delivery d on d.id = a.id join webhook w on w.id = d.webhook
        join account o on o.id = w.account_id
      order by d.id for update of d
    ), claimed as (
      update webhook_delivery d set attempt = f.attempt, claimed_until = f.until
      from found f where d.id = f.id and f.claimable and f.active
    ), held as (
      update webhook_delivery d set status = 'held', claimed_until = null
      from found f where d.id = f.id and f.claimable and not f.active
    ), recorded as (
      insert into webhook_attempt (webhook, delivery, event_id, event_type, attempt, success, latency_ms, error_class,
        error, at)
      select webhook, id, 'evt_' || event_id, event_type, 0, false, 0, 'held', ${unsentReasons.held}, now
      from found where claimable and not active
    )
    select index, claimable, active, first_attempt as "firstAttempt", waits_until as "waitsUntil", webhook,
      account_id as account, url, 'evt_' || event_id as "eventId", event_type as "eventType", body, secret,
      previous_secret as "previousSecret", previous_until as "previousUntil"
    from found`
  const byIndex = new Map(rows.map((row) => [row.index, row]))
  return requests.map((one, i): ClaimResult => {
    if (firsts.get(`${one.delivery}-${one.attempt}`) !== i) return { _tag: "Waits", until: one.until }
    const row = byIndex.get(i)
    if (row === undefined || (row.claimable && !row.active)) return { _tag: "Obsolete" }
    if (!row.claimable) return row.waitsUntil === null ? { _tag: "Obsolete" } : { _tag: "Waits", until: row.waitsUntil }
    const { delivery, attempt, until } = one
    return { _tag: "Claimed", delivery, attempt, until, firstAttempt: row.firstAttempt, payload: row }
  })
})

/** A claimed attempt that was not made, and when it may be made. */
export interface ReleasedClaim {
  readonly claim: Claim
  readonly nextAt: Date
}

export const releaseAll = (sql: SqlClient, released: ReadonlyArray<ReleasedClaim>) => {
  const rows = unnest(sql, "u", released, {
    id: ["int8", ({ claim }) => BigInt(claim.delivery)],
    attempt: ["int4", ({ claim }) => claim.attempt],
    until: ["timestamptz", ({ claim }) => claim.until],
    next_at: ["timestamptz", ({ nextAt }) => nextAt],
  })
  return Effect.as(
    sql`
      update webhook_delivery d set attempt = u.attempt - 1, claimed_until = null,
        next_at = greatest(d.next_at, u.next_at)
      from ${rows}
      where d.id = u.id and d.attempt = u.attempt and d.claimed_until = u.until and d.status = 'pending'`,
    released.map(() => undefined),
  )
}

/** The same attempt may have been claimed twice, the second time after the first claim expired. */
const claimKey = (id: string, until: Date) => `${id} ${until.getTime()}`

/**
 * Records results of attempts in the delivery, the history and the webhook's health, which one success restores. An
 * attempt that another worker has claimed meanwhile is not recorded.
 */
export const recordAll = Effect.fnUntraced(function* (sql: SqlClient, results: ReadonlyArray<AttemptResult>) {
  const made = unnest(sql, "m", results, {
    id: ["int8", ({ claim }) => BigInt(claim.delivery)],
    attempt: ["int4", ({ claim }) => claim.attempt],
    until: ["timestamptz", ({ claim }) => claim.until],
    status: ["text", ({ next }) => next.status],
    next_at: ["timestamptz", ({ next }) => next.nextAt],
    at: ["timestamptz", ({ at }) => at],
    status_code: ["int4", ({ answer }) => answer.statusCode],
    latency_ms: ["int4", ({ answer }) => answer.latencyMs],
    error_class: ["text", ({ answer }) => answer.errorClass],
    error: ["text", ({ answer }) => answer.error],
    response: ["text", ({ answer }) => answer.response],
  })
  const rows = yield* sql<{ id: string; until: Date; failingSince: Date | null; failures: number | null }>`
    with done as (
      update webhook_delivery d set status = m.status, next_at = m.next_at, claimed_until = null,
        finished_at = case when m.status <> 'pending' then m.at end
      from ${made}
      where d.id = m.id and d.attempt = m.attempt and d.claimed_until = m.until and d.status = 'pending'
      returning d.id, d.webhook, d.event_id, d.event_type, m.until, m.status, m.attempt, m.status_code, m.latency_ms,
        m.error_class, m.error, m.response, m.at
    ), recorded as (
      insert into webhook_attempt (webhook, delivery, event_id, event_type, attempt, success, status_code, latency_ms,
        error_class, error, response, at)
      select webhook, id, 'evt_' || event_id, event_type, attempt, status = 'delivered', status_code, latency_ms,
        error_class, error, response, at
      from done order by at
    ), recovered as (
      delete from webhook_health where webhook in (select webhook from done where status = 'delivered')
    ), failing as (
      insert into webhook_health as h (webhook, failing_since, failures)
      select webhook, min(at) filter (where status = 'failed'), count(*) filter (where status = 'failed') from done group by webhook
      having bool_or(status = 'failed') and not bool_or(status = 'delivered')
      order by webhook
      on conflict (webhook) do update set failures = h.failures + excluded.failures
      returning webhook, failing_since, failures
    )
    select d.id::text, d.until, a.failing_since as "failingSince", a.failures
    from done d left join failing a on a.webhook = d.webhook and d.status = 'failed'`
  const byClaim = new Map(rows.map((row) => [claimKey(row.id, row.until), row]))
  return results.map(({ claim }): RecordResult => {
    const row = byClaim.get(claimKey(claim.delivery, claim.until))
    return { counted: row !== undefined, failingSince: row?.failingSince ?? null, failures: row?.failures ?? 0 }
  })
})

/** An attempt that became due this recently still has a job about to run. */
const jobGrace = 3_000
const maxOverdue = 10_000
const maxPerWebhook = 300

/**
 * The oldest overdue attempts of every webhook, so that one long backlog hides no other. Skips through the index from one
 * webhook to the next: the cost depends on the number of webhooks with pending deliveries, not on their number.
 */
export const overdue = (sql: SqlClient, now: number) => {
  const before = new Date(now - jobGrace)
  return sql<OverdueAttempt>`
    with recursive pending as (
      (select webhook, next_at from webhook_delivery where status = 'pending' order by webhook, next_at limit 1)
      union all
      select n.webhook, n.next_at
      from pending o cross join lateral (
        select d.webhook, d.next_at from webhook_delivery d
        where d.status = 'pending' and d.webhook > o.webhook order by d.webhook, d.next_at limit 1
      ) n
    ), late as materialized (
      select webhook from pending where next_at <= ${before}::timestamptz
    )
    select d.id::text as delivery, case when d.claimed_until is null then d.attempt + 1 else d.attempt end as attempt,
      w.account_id as account, w.url
    from late join webhook w on w.id = late.webhook cross join lateral (
      select id, attempt, claimed_until, next_at from webhook_delivery
      where status = 'pending' and webhook = late.webhook and next_at <= ${before}::timestamptz
        and (claimed_until is null or claimed_until <= ${new Date(now)}::timestamptz)
      order by next_at
      limit (select greatest(1, least(${maxPerWebhook}::int8, ${maxOverdue}::int8 / count(*))) from late)
    ) d
    order by d.next_at`
}
