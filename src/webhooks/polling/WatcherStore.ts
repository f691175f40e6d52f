import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { AccountId } from "#src/domain/Account.ts"
import type { ConfirmationLevel, WebhookEventType, WebhookId } from "../model.ts"

/** A changed webhook. Without changes there is one row whose other columns are null. */
interface ChangedRow {
  /** Changes up to this revision are included. */
  readonly revision: bigint
  readonly deleted: ReadonlyArray<WebhookId> | null
  readonly id: WebhookId | null
  readonly account: AccountId
  readonly filters: unknown
  readonly since: bigint
  /** Both the webhook and its account. */
  readonly active: boolean
  /** Whether it has the event type and the level. */
  readonly subscribed: boolean
}

/** Webhooks changed after a revision. The first read, after a negative one, skips those without the type and level. */
export const changedAfter = (sql: SqlClient, type: WebhookEventType, level: ConfirmationLevel, after: bigint) =>
  sql<ChangedRow>`
    select r.revision, (select array_agg(d.id) from webhook_deleted d where d.revision > ${after}) as deleted,
      w.id, w.account_id as account, w.filters, w.since_seq as since, w.active and a.active as active,
      ${type} = any(w.event_types) and w.level = ${level} as subscribed
    from webhook_revision r left join (webhook w join account a on a.id = w.account_id)
      on w.revision > ${after} and (${type} = any(w.event_types) and w.level = ${level} or ${after}::bigint >= 0)`
