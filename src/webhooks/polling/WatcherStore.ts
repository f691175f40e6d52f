import type { AccountId } from "#src/domain/Account.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import type { WebhookEventType, WebhookId } from "../model.ts"

/** A webhook that was changed; all null beside the revision where none was. */
interface ChangedRow {
  /** Up to which changes are told. */
  readonly revision: bigint
  readonly deleted: ReadonlyArray<WebhookId> | null
  readonly id: WebhookId | null
  readonly account: AccountId
  readonly filters: unknown
  readonly since: bigint
  /** And so is its account. */
  readonly active: boolean
  readonly asks: boolean
}

/**
 * What has become of webhooks after a revision, with one query. Who knows none yet is not told of those that do not ask
 * for the type: every poller looks for its own among all there are.
 */
export const watcherStore =
  ({ reads }: Postgres["Service"]) =>
  (type: WebhookEventType, after: bigint) =>
    reads<ChangedRow>`
      select r.revision, (select array_agg(d.id) from webhook_deleted d where d.revision > ${after}) as deleted,
        w.id, w.account_id as account, w.filters, w.since_seq as since, w.active and a.active as active,
        ${type} = any(w.event_types) as asks
      from webhook_revision r left join (webhook w join account a on a.id = w.account_id)
        on w.revision > ${after} and (${type} = any(w.event_types) or ${after}::bigint >= 0)`
