import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { AccountId } from "#src/domain/Account.ts"

/**
 * For changes of webhooks, first in the transaction: no poller writes until it commits, so a webhook that starts at the
 * head of the log misses nothing. Every changed row stores the number.
 */
export const raiseRevision = (sql: SqlClient) =>
  Effect.map(
    sql<{ revision: bigint }>`update webhook_revision set revision = revision + 1 returning revision`,
    ([row]) => row?.revision ?? 0n,
  )

/** For pollers, in the transaction that writes deliveries: no webhook changes until it commits. */
export const holdRevision = (sql: SqlClient) =>
  Effect.map(sql<{ revision: bigint }>`select revision from webhook_revision for share`, ([row]) => row?.revision ?? 0n)

/** For changes of an account that its webhooks depend on, first in the transaction. */
export const touchWebhooksOf = Effect.fnUntraced(function* (sql: SqlClient, account: AccountId) {
  const revision = yield* raiseRevision(sql)
  yield* sql`update webhook set revision = ${revision} where account_id = ${account}::uuid`
})
