import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { AccountId } from "#src/domain/Account.ts"

/**
 * For whoever changes webhooks, first thing in the transaction: no poller writes until it commits, so a webhook that
 * begins at the log's head has missed nothing. The number goes with every row that is changed.
 */
export const raiseRevision = (sql: SqlClient) =>
  Effect.map(
    sql<{ revision: bigint }>`update webhook_revision set revision = revision + 1 returning revision`,
    ([row]) => row?.revision ?? 0n,
  )

/** For pollers, in the transaction that writes what is owed: no webhook is changed until it commits. */
export const holdRevision = (sql: SqlClient) =>
  Effect.map(sql<{ revision: bigint }>`select revision from webhook_revision for share`, ([row]) => row?.revision ?? 0n)

/** For whoever changes something of an account that its webhooks depend on, first thing in the transaction. */
export const touchWebhooksOf = Effect.fnUntraced(function* (sql: SqlClient, account: AccountId) {
  const revision = yield* raiseRevision(sql)
  yield* sql`update webhook set revision = ${revision} where account_id = ${account}::uuid`
})
