import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { AccountId } from "#src/domain/Account.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { ConfirmationLevel, Filters, Webhook, WebhookEventType, WebhookId } from "../model.ts"
import { raiseRevision } from "./revision.ts"

interface Row {
  readonly id: WebhookId
  readonly account_id: AccountId
  readonly url: string
  readonly event_types: ReadonlyArray<WebhookEventType>
  readonly filters: Filters
  readonly level: ConfirmationLevel
  readonly description: string | null
  readonly active: boolean
  readonly disabled_at: Date | null
  readonly disabled_reason: string | null
  readonly has_secret: boolean
  readonly seeding: boolean
  readonly since_seq: bigint
  readonly created_at: Date
  readonly updated_at: Date
}

const fields = `id, account_id, url, event_types, filters, level, description, active, disabled_at, disabled_reason,
  length(secret) > 0 as has_secret, since_seq, created_at, updated_at,
  exists (select 1 from webhook_watched_wallet where not seeded)
    and 'position_status_change' = any(event_types)
    and exists (
      select 1 from jsonb_array_elements_text(filters -> 'wallet_addresses') f(address)
      join webhook_watched_wallet x on x.address = decode(substr(f.address, 3), 'hex') where not x.seeded) as seeding`

const webhookOf = (row: Row): Webhook => ({
  id: row.id,
  account: row.account_id,
  url: row.url,
  eventTypes: row.event_types,
  filters: row.filters,
  level: row.level,
  description: row.description,
  active: row.active,
  disabledAt: row.disabled_at,
  disabledReason: row.disabled_reason,
  hasSecret: row.has_secret,
  seeding: row.seeding,
  since: row.since_seq,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
const first = ([row]: ReadonlyArray<Row>) => row && webhookOf(row)

const ofAccount = (sql: SqlClient, account: AccountId | undefined) =>
  account === undefined ? sql.literal("") : sql`and account_id = ${account}`

/** With an account, only a webhook of that account. */
export const find = (sql: SqlClient, id: WebhookId, account: AccountId | undefined) =>
  Effect.map(sql<Row>`select ${sql.literal(fields)} from webhook where id = ${id} ${ofAccount(sql, account)}`, first)

/** The same, locked against changes until the transaction ends. Deliveries can be written meanwhile. */
export const findForUpdate = (sql: SqlClient, id: WebhookId, account: AccountId | undefined) =>
  Effect.map(
    sql<Row>`
      select ${sql.literal(fields)} from webhook where id = ${id} ${ofAccount(sql, account)} for no key update`,
    first,
  )

/** Newest first; of one account or of all. */
export const list = (sql: SqlClient, account: AccountId | undefined, limit: number) =>
  Effect.map(
    sql<Row>`
      select ${sql.literal(fields)} from webhook where true ${ofAccount(sql, account)}
      order by created_at desc, id limit ${limit}`,
    (rows) => rows.map(webhookOf),
  )

export const count = (sql: SqlClient, account: AccountId) =>
  Effect.map(
    sql<{ n: number }>`select count(*)::int as n from webhook where account_id = ${account}`,
    ([row]) => row?.n ?? 0,
  )

/** The newest log entry. */
export const logHead = (sql: SqlClient) =>
  Effect.map(sql<{ seq: bigint | null }>`select max(seq) as seq from event_log`, ([row]) => row?.seq ?? 0n)

export const insert = (sql: SqlClient, webhook: Webhook, secret: Uint8Array, revision: bigint) => sql`
  insert into webhook (id, account_id, url, event_types, filters, level, description, active, secret, since_seq, revision,
    created_at, updated_at)
  values (${webhook.id}, ${webhook.account}, ${webhook.url}, ${pgArray("text", webhook.eventTypes)},
    ${JSON.stringify(webhook.filters)}::jsonb, ${webhook.level}, ${webhook.description}, ${webhook.active}, ${secret}, ${webhook.since},
    ${revision}, ${webhook.createdAt}, ${webhook.updatedAt})`

/** Updates a webhook; without a revision if nothing that pollers read has changed. */
export const update = (sql: SqlClient, webhook: Webhook, revision: bigint | null) => sql`
  update webhook set url = ${webhook.url}, event_types = ${pgArray("text", webhook.eventTypes)},
    filters = ${JSON.stringify(webhook.filters)}::jsonb, description = ${webhook.description},
    active = ${webhook.active}, disabled_at = ${webhook.disabledAt}::timestamptz,
    disabled_reason = ${webhook.disabledReason}, since_seq = ${webhook.since},
    revision = coalesce(${revision}::bigint, revision), updated_at = ${webhook.updatedAt}
  where id = ${webhook.id}`

/** Resets its failure count. */
export const forgetFailures = (sql: SqlClient, id: WebhookId) => sql`delete from webhook_health where webhook = ${id}`

/** The replaced secret stays valid beside the new one until a moment. */
export const replaceSecret = (
  sql: SqlClient,
  id: WebhookId,
  { secret, until, now }: { secret: Uint8Array; until: Date; now: Date },
) => sql`
  update webhook set previous_secret = nullif(secret, ''), previous_until = ${until}::timestamptz, secret = ${secret},
    updated_at = ${now}::timestamptz
  where id = ${id}`

/**
 * Disables a webhook until its owner resumes it; new deliveries are held. False if it was not active, or if a url is given
 * and it has another one by now: failures of one endpoint say nothing about its successor. In a transaction.
 */
export const disable = Effect.fnUntraced(function* (
  sql: SqlClient,
  id: WebhookId,
  { reason, at, url = null }: { readonly reason: string; readonly at: Date; readonly url?: string | null },
) {
  const revision = yield* raiseRevision(sql)
  const changed = yield* sql`
    update webhook set active = false, disabled_at = ${at}::timestamptz, disabled_reason = ${reason},
      updated_at = ${at}::timestamptz, revision = ${revision}
    where id = ${id} and active and url = coalesce(${url}, url) returning id`
  return changed.length > 0
})

/** Disables all webhooks until they are given new secrets, because the stored ones cannot be decrypted any more. */
export const loseSecrets = Effect.fnUntraced(function* (sql: SqlClient, revision: bigint, now: Date) {
  yield* sql`
    update webhook set active = false, secret = '', previous_secret = null, previous_until = null,
      disabled_at = ${now}::timestamptz, revision = ${revision}, updated_at = ${now}::timestamptz,
      disabled_reason = 'its secret was lost with all secrets of the service: replace it, then resume'`
  // After the webhooks, in the lock order of replacing a secret.
  yield* sql`delete from webhook_creation`
})

const chunk = 10_000

/**
 * Deletes a webhook's deliveries and attempts in chunks: a busy webhook has millions, more than one statement can
 * delete.
 */
export const dropHistory = Effect.fnUntraced(function* (sql: SqlClient, id: WebhookId) {
  for (const table of ["webhook_delivery", "webhook_attempt"]) {
    for (;;) {
      const gone = yield* sql`
        delete from ${sql(table)} where id in (select id from ${sql(table)} where webhook = ${id} limit ${chunk})
        returning 1`
      if (gone.length < chunk) break
    }
  }
})

export const remove = Effect.fnUntraced(function* (sql: SqlClient, id: WebhookId, revision: bigint, now: Date) {
  yield* sql`delete from webhook where id = ${id}`
  yield* sql`insert into webhook_deleted (id, revision, at) values (${id}, ${revision}, ${now}::timestamptz)`
})

interface Creation {
  readonly account: AccountId
  readonly key: string
  /** Digest of the request. */
  readonly digest: Uint8Array
  readonly answer: Uint8Array
}

/** The answer to a request with this key after a moment. */
export const findCreation = (sql: SqlClient, account: AccountId, key: string, after: Date) =>
  Effect.map(
    sql<Pick<Creation, "digest" | "answer">>`
      select digest, answer from webhook_creation where account_id = ${account} and key = ${key} and at > ${after}`,
    ([row]) => row,
  )

export const saveCreation = (sql: SqlClient, { account, key, digest, answer }: Creation, id: WebhookId, now: Date) =>
  sql`
    insert into webhook_creation (account_id, key, digest, answer, webhook, at)
    values (${account}, ${key}, ${digest}, ${answer}, ${id}, ${now}::timestamptz)
    on conflict (account_id, key) do update
    set digest = excluded.digest, answer = excluded.answer, webhook = excluded.webhook, at = excluded.at`
