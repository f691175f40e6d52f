import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { AccountId } from "#src/domain/Account.ts"
import { allowances, type Plan } from "#src/domain/Plan.ts"
import { dayText } from "#src/domain/time.ts"
import { pgArray, unnest } from "#src/platform/sql/pgArray.ts"

/** Deliveries that an account has taken from its quota of the UTC day. */
export const usedQuota = (sql: SqlClient, account: AccountId, now: number) =>
  Effect.map(
    sql<{ used: number }>`
      select used from webhook_quota where account_id = ${account} and day = ${dayText(now)}::date`,
    ([row]) => row?.used ?? 0,
  )

/**
 * Takes deliveries from each account's daily quota: as many as requested, or as its plan has left. In the transaction
 * that writes the deliveries, so that each is counted once; refused ones are counted too.
 */
export const takeQuota = Effect.fnUntraced(function* (
  sql: SqlClient,
  requested: ReadonlyMap<AccountId, number>,
  now: number,
) {
  const granted = new Map<AccountId, number>()
  if (requested.size === 0) return granted
  const day = dayText(now)
  const accounts = pgArray("uuid", [...requested.keys()])
  yield* sql`
    insert into webhook_quota (account_id, day, used, refused) select id, ${day}::date, 0, 0 from unnest(${accounts}) u(id)
    order by id on conflict do nothing`
  // In one lock order, so that concurrent transactions do not deadlock.
  const rows = yield* sql<{ id: AccountId; plan: Plan; used: number }>`
    select q.account_id as id, a.plan, q.used from webhook_quota q join account a on a.id = q.account_id
    where q.day = ${day}::date and q.account_id = any(${accounts}) order by q.account_id for update of q`
  for (const { id, plan, used } of rows) {
    const left = (allowances[plan].deliveriesPerDay ?? Number.POSITIVE_INFINITY) - used
    granted.set(id, Math.max(0, Math.min(requested.get(id) ?? 0, left)))
  }
  const decided = unnest(sql, "u", [...granted], {
    id: ["uuid", ([id]) => id],
    granted: ["int4", ([, count]) => count],
    refused: ["int4", ([id, count]) => (requested.get(id) ?? 0) - count],
  })
  yield* sql`
    update webhook_quota q set used = q.used + u.granted, refused = q.refused + u.refused
    from ${decided} where q.account_id = u.id and q.day = ${day}::date`
  return granted
})
