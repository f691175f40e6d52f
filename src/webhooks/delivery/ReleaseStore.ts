import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { AccountId } from "#src/domain/Account.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { Attempt } from "../contracts.ts"
import type { DeliveryStatus, WebhookId } from "../model.ts"
import { takeQuota } from "../subscriptions/QuotaStore.ts"

/** A delivery that may start a new round of attempts. */
interface Candidate {
  readonly id: bigint
  readonly attempt: number
  readonly status: DeliveryStatus
  /** A worker is sending it now. */
  readonly underWay: boolean
  /** Not counted against any day's quota, because it was never due. */
  readonly uncounted: boolean
}

export interface ReleasedBatch {
  readonly attempts: ReadonlyArray<Attempt>
  /** Of these, attempts that were pending already and may have a waiting job. */
  readonly pending: ReadonlyArray<Attempt>
  readonly underWay: number
  readonly overCap: number
}

const candidateFields = (sql: SqlClient, now: Date) => sql`
  d.id, d.attempt, d.status, coalesce(d.status = 'pending' and d.claimed_until > ${now}::timestamptz, false) as "underWay",
  d.status = 'over_cap' or d.status = 'held' and d.next_at is null as uncounted`

/** Starts a new round of attempts; counts those against the quota that were not counted before. */
const release = Effect.fnUntraced(function* (
  sql: SqlClient,
  account: AccountId,
  candidates: ReadonlyArray<Candidate>,
  now: Date,
) {
  const underWay = candidates.filter((one) => one.underWay).length
  const uncounted = candidates.filter((one) => one.uncounted).length
  const granted =
    uncounted === 0 ? 0 : ((yield* takeQuota(sql, new Map([[account, uncounted]]), now.getTime())).get(account) ?? 0)
  let quota = granted
  const chosen = candidates.filter((one) => !one.underWay && (!one.uncounted || quota-- > 0))
  if (chosen.length > 0)
    yield* sql`
      update webhook_delivery set status = 'pending', first_attempt = attempt, next_at = ${now}::timestamptz,
        claimed_until = null, finished_at = null
      where id = any(${pgArray("int8", chosen, ({ id }) => id)})`
  const asAttempts = (some: ReadonlyArray<Candidate>): ReadonlyArray<Attempt> =>
    some.map(({ id, attempt }) => ({ delivery: String(id), attempt: attempt + 1 }))
  return {
    attempts: asAttempts(chosen),
    pending: asAttempts(chosen.filter(({ status }) => status === "pending")),
    underWay,
    overCap: uncounted - granted,
  } satisfies ReleasedBatch
})

/** In a transaction. Undefined if an active webhook has no such delivery. */
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

/** What to replay: failed deliveries, all missed ones, or also delivered ones. */
export type ReplayScope = "failed" | "missed" | "all"

// Written as in the partial index of missed deliveries.
const missed = "d.status in ('held', 'failed', 'over_cap')"
const conditions: Readonly<Record<ReplayScope, string>> = {
  failed: `${missed} and d.status = 'failed'`,
  missed,
  all: "d.status <> 'pending'",
}

export interface ReplayPage {
  readonly after: bigint
  readonly since: Date
  readonly which: ReplayScope
  readonly most: number
}

/** In a transaction. The next deliveries after `after`, and the id of the last one; undefined at the end. */
export const releaseSince = Effect.fnUntraced(function* (
  sql: SqlClient,
  webhook: WebhookId,
  account: AccountId,
  { after, since, which, most }: ReplayPage,
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
