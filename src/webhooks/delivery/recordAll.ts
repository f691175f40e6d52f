import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { Outcome, Recorded } from "./model.ts"

/**
 * Writes down what came of attempts: in the delivery, in the history, and in the health of the webhook, which one
 * success restores. An attempt that somebody else has taken over meanwhile is that one's to tell.
 */
export const recordAll = Effect.fnUntraced(function* (sql: SqlClient, outcomes: ReadonlyArray<Outcome>) {
  const of = <A>(get: (outcome: Outcome) => A) => outcomes.map(get)
  const rows = yield* sql<{ id: string; until: Date; failingSince: Date | null; failures: number | null }>`
    with made as (
      select * from unnest(
        ${pgArray(
          "int8",
          of(({ claim }) => BigInt(claim.delivery)),
        )},
        ${pgArray(
          "int4",
          of(({ claim }) => claim.attempt),
        )},
        ${pgArray(
          "timestamptz",
          of(({ claim }) => claim.until),
        )},
        ${pgArray(
          "text",
          of(({ fate }) => fate.status),
        )},
        ${pgArray(
          "timestamptz",
          of(({ fate }) => fate.nextAt),
        )},
        ${pgArray(
          "timestamptz",
          of(({ at }) => at),
        )},
        ${pgArray(
          "int4",
          of(({ answer }) => answer.statusCode),
        )},
        ${pgArray(
          "int4",
          of(({ answer }) => answer.latencyMs),
        )},
        ${pgArray(
          "text",
          of(({ answer }) => answer.errorClass),
        )},
        ${pgArray(
          "text",
          of(({ answer }) => answer.error),
        )},
        ${pgArray(
          "text",
          of(({ answer }) => answer.response),
        )}
      ) u(id, attempt, until, status, next_at, at, status_code, latency_ms, error_class, error, response)
    ), done as (
      update webhook_delivery d set status = m.status, next_at = m.next_at, claimed_until = null,
        finished_at = case when m.status <> 'pending' then m.at end
      from made m
      where d.id = m.id and d.attempt = m.attempt and d.claimed_until = m.until and d.status = 'pending'
      returning d.id, d.webhook, d.event_id, d.event_type, m.until, m.status, m.attempt, m.status_code, m.latency_ms,
        m.error_class, m.error, m.response, m.at
    ), told as (
      insert into webhook_attempt (webhook, delivery, event_id, event_type, attempt, success, status_code, latency_ms,
        error_class, error, response, at)
      select webhook, id, 'evt_' || event_id, event_type, attempt, status = 'delivered', status_code, latency_ms,
        error_class, error, response, at
      from done order by at
    ), healed as (
      delete from webhook_health where webhook in (select webhook from done where status = 'delivered')
    ), ailing as (
      insert into webhook_health as h (webhook, failing_since, failures)
      select webhook, min(at) filter (where status = 'failed'), count(*) filter (where status = 'failed') from done group by webhook
      having bool_or(status = 'failed') and not bool_or(status = 'delivered')
      order by webhook
      on conflict (webhook) do update set failures = h.failures + excluded.failures
      returning webhook, failing_since, failures
    )
    select d.id::text, d.until, a.failing_since as "failingSince", a.failures
    from done d left join ailing a on a.webhook = d.webhook and d.status = 'failed'`
  const byClaim = new Map(rows.map((row) => [placeOf(row.id, row.until), row]))
  return outcomes.map(({ claim }): Recorded => {
    const row = byClaim.get(placeOf(claim.delivery, claim.until))
    return { counted: row !== undefined, failingSince: row?.failingSince ?? null, failures: row?.failures ?? 0 }
  })
})

/** The same attempt may have been claimed twice, the second time after the first one's time was over. */
const placeOf = (id: string, until: Date) => `${id} ${until.getTime()}`
