import { Effect, Layer } from "effect"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import type { AccountId } from "#src/domain/Account.ts"
import type { Plan } from "#src/domain/Plan.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { ConfirmationLevel, Filters, WebhookEventType, WebhookId } from "#src/webhooks/model.ts"
import { Polling } from "#src/webhooks/polling/Polling.ts"
import { raiseRevision } from "#src/webhooks/subscriptions/revision.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { type TestDatabase, testFoundation } from "#test/support/TestStores.ts"

export const stores = (flags: Record<string, string> = {}, database?: TestDatabase) =>
  Layer.merge(ledger, Polling.layer).pipe(
    Layer.provideMerge(Enrichment.layer),
    Layer.provideMerge(testFoundation({ "event-log.retention": "3650d", ...flags }, [], database)),
  )

export const newAccount = Effect.fnUntraced(function* (plan: Plan) {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ id: AccountId }>`insert into account (name, plan) values ('test', ${plan}) returning id`
  return row?.id as AccountId
})

let webhooks = 0

/** A webhook that receives events from now on. */
export const newWebhook = Effect.fnUntraced(function* (
  account: AccountId,
  types: ReadonlyArray<WebhookEventType>,
  filters: Filters | Record<string, unknown> = {},
  active = true,
  level: ConfirmationLevel = "confirmed",
) {
  const { sql, tx } = yield* Postgres
  const id = `wh_${(++webhooks).toString(16).padStart(12, "0")}` as WebhookId
  yield* Effect.gen(function* () {
    const revision = yield* raiseRevision(sql)
    yield* sql`
      insert into webhook (id, account_id, url, event_types, filters, level, active, secret, since_seq, revision, created_at, updated_at)
      select ${id}, ${account}::uuid, 'https://example.org', ${types}, ${JSON.stringify(filters)}::text::jsonb, ${level}, ${active}, ''::bytea,
        (select coalesce(max(seq), 0) from event_log), ${revision}, now(), now()`
  }).pipe(tx)
  return id
})

/** Changes a webhook like its owner would. */
export const changeWebhook = Effect.fnUntraced(function* (id: WebhookId, active: boolean) {
  const { sql, tx } = yield* Postgres
  yield* tx(
    Effect.flatMap(
      raiseRevision(sql),
      (revision) => sql`update webhook set active = ${active}, revision = ${revision} where id = ${id}`,
    ),
  )
})

export const deleteWebhook = Effect.fnUntraced(function* (id: WebhookId) {
  const { sql, tx } = yield* Postgres
  yield* tx(
    Effect.gen(function* () {
      const revision = yield* raiseRevision(sql)
      yield* sql`delete from webhook where id = ${id}`
      yield* sql`insert into webhook_deleted (id, revision, at) values (${id}, ${revision}, now())`
    }),
  )
})

export interface Delivery {
  readonly id: bigint
  readonly webhook: WebhookId
  readonly event_id: string
  readonly status: string
  readonly envelope: { readonly id: string; readonly type: string; readonly created_at: string } & {
    readonly data: Readonly<Record<string, unknown>>
    readonly confirmations?: number | "finalized"
  }
}

/** All deliveries of a webhook, in the order of writing. */
export const deliveriesOf = Effect.fnUntraced(function* (webhook: WebhookId) {
  const { sql } = yield* Postgres
  const rows = yield* sql<Omit<Delivery, "envelope"> & { body: Uint8Array }>`
    select id, webhook, event_id, status, body from webhook_delivery where webhook = ${webhook} order by id`
  return rows.map(
    ({ body, ...row }): Delivery => ({ ...row, envelope: JSON.parse(Buffer.from(body).toString("utf8")) }),
  )
})

/** The same by transaction. */
export const transactionsOf = (webhook: WebhookId) =>
  Effect.map(deliveriesOf(webhook), (rows) => rows.map(({ envelope }) => Number(envelope.data["transaction_hash"])))

export const tick = (poller: Parameters<Polling["Service"]["tick"]>[0]) =>
  Effect.flatMap(Polling, (polling) => polling.tick(poller))
