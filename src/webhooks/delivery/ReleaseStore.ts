import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { AccountId } from "#src/domain/Account.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { Attempt } from "../contracts.ts"
import type { DeliveryStatus, WebhookId } from "../model.ts"
import { takeQuota } from "../subscriptions/QuotaStore.ts"

/** A delivery that may begin a new round. */
interface Candidate {
  readonly id: bigint
  readonly attempt: number
  readonly status: DeliveryStatus
  /** Somebody is sending it right now. */
  readonly underWay: boolean
  /** Written without being taken from any day's deliveries: it was to be sent never, or not before it is released. */
  readonly uncounted: boolean
}

export interface ReleasedBatch {
  readonly attempts: ReadonlyArray<Attempt>
  /** Of these, what was owed already, and may have a job that waits for its time. */
  readonly pending: ReadonlyArray<Attempt>
  readonly underWay: number
  readonly overCap: number
}

const candidateFields = (sql: SqlClient, now: Date) => sql`
  d.id, d.attempt, d.status, coalesce(d.status = 'pending' and d.claimed_until > ${now}::timestamptz, false) as "underWay",
  d.status = 'over_cap' or d.status = 'held' and d.next_at is null as uncounted`

/** Begins a new round of attempts; takes from the day's deliveries what was not taken for it before. */
const release = Effect.fnUntraced(function* (
  sql: SqlClient,
  account: AccountId,
  candidates: ReadonlyArray<Candidate>,
  now: Date,
) {
  const underWay = candidates.filter((one) => one.underWay).length
  const wanted = candidates.filter((one) => one.uncounted).length
  const granted =
    wanted === 0 ? 0 : ((yield* takeQuota(sql, new Map([[account, wanted]]), now.getTime())).get(account) ?? 0)
  let room = granted
  const chosen = candidates.filter((one) => !one.underWay && (!one.uncounted || room-- > 0))
  if (chosen.length > 0)
    yield* sql`
      update webhook_delivery set status = 'pending', first_attempt = attempt, next_at = ${now}::timestamptz,
        claimed_until = null, finished_at = null
      where id = any(${pgArray(
        "int8",
        chosen.map(({ id }) => id),
      )})`
  const asAttempts = (some: ReadonlyArray<Candidate>): ReadonlyArray<Attempt> =>
    some.map(({ id, attempt }) => ({ delivery: String(id), attempt: attempt + 1 }))
  return {
    attempts: asAttempts(chosen),
    pending: asAttempts(chosen.filter(({ status }) => status === "pending")),
    underWay,
    overCap: wanted - granted,
  } satisfies ReleasedBatch
})

/** In a transaction. Undefined where there is no such delivery of a webhook that is active. */
export const releaseOne = Effect.fnUntraced(function* (
  sql: SqlClient,
  webhook: WebhookId,
  account: AccountId,
  uuid: string,
  now: Date,
) {
  const found = yield* sql<Candidate>`
    select ${candidateFields(sql, now)} from webhook_delivery d join webhook w on w.id = d.webhook
    where d.webhook = ${webhook} and d.event_id = ${uuid}::uuid and w.active for update of d`
  return found.length === 0 ? undefined : yield* release(sql, account, found, now)
})

/** What to send again: what failed, all that was missed, or that and what was delivered. */
export type Which = "failed" | "missed" | "all"

// Said as it is in the index of those that were missed.
const missed = "d.status in ('held', 'failed', 'over_cap')"
const conditions: Readonly<Record<Which, string>> = {
  failed: `${missed} and d.status = 'failed'`,
  missed,
  all: "d.status <> 'pending'",
}

export interface Since {
  readonly after: bigint
  readonly since: Date
  readonly which: Which
  readonly most: number
}

/** In a transaction. The next ones behind `after`, and which was the last of them; undefined when there are none. */
export const releaseSince = Effect.fnUntraced(function* (
  sql: SqlClient,
  webhook: WebhookId,
  account: AccountId,
  { after, since, which, most }: Since,
  now: Date,
) {
  const found = yield* sql<Candidate>`
    select ${candidateFields(sql, now)} from webhook_delivery d join webhook w on w.id = d.webhook
    where d.webhook = ${webhook} and d.id > ${after} and w.active
      and d.created_at between ${since}::timestamptz and ${now}::timestamptz
      and ${sql.literal(conditions[which])}
    order by d.id limit ${most} for update of d`
  const last = found.at(-1)
  return last === undefined ? undefined : { last: last.id, ...(yield* release(sql, account, found, now)) }
})
