import { randomBytes, randomUUID } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import type { Plan } from "#src/domain/Plan.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Deliverer } from "#src/webhooks/delivery/Deliverer.ts"
import { DeliveryBatcher } from "#src/webhooks/delivery/DeliveryBatcher.ts"
import { Resolver, Unresolvable } from "#src/webhooks/delivery/Resolver.ts"
import { Sender } from "#src/webhooks/delivery/Sender.ts"
import { Targets } from "#src/webhooks/delivery/Targets.ts"
import { WebhookId } from "#src/webhooks/model.ts"
import { SecretBox } from "#src/webhooks/subscriptions/SecretBox.ts"
import { testFoundation } from "#test/support/TestStores.ts"

export const secretOfTests = "whsec_0123456789abcdef0123456789abcdef"

const nowhere = Layer.succeed(Resolver, Resolver.of({ resolve: (name) => Effect.fail(new Unresolvable({ name })) }))

/** A worker's deliverer on private stores, allowed to send to this machine. */
export const testDelivery = (flags: Record<string, string> = {}) =>
  Deliverer.layer.pipe(
    Layer.provideMerge(DeliveryBatcher.layer),
    Layer.provideMerge(Layer.merge(Sender.layer, SecretBox.layer)),
    Layer.provideMerge(Targets.layer),
    Layer.provide(nowhere),
    Layer.provideMerge(testFoundation({ "webhooks.allow-insecure": "true", "webhooks.deadline": "1s", ...flags })),
  )

export const makeAccount = Effect.fnUntraced(function* (plan: Plan = "growth") {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ id: AccountId }>`insert into account (name, plan) values ('test', ${plan}) returning id`
  return row?.id ?? (yield* Effect.die("no account"))
})

export interface WebhookOptions {
  readonly url: string
  readonly account?: AccountId
  readonly active?: boolean
}

export const makeWebhook = Effect.fnUntraced(function* (options: WebhookOptions) {
  const { sql } = yield* Postgres
  const box = yield* SecretBox
  const id = WebhookId.make(`wh_${randomBytes(6).toString("hex")}`)
  const account = options.account ?? (yield* makeAccount())
  yield* sql`
    insert into webhook (id, account_id, url, event_types, filters, active, secret, since_seq, revision, created_at,
      updated_at)
    values (${id}, ${account}::uuid, ${options.url}, array['trade'], '{}'::jsonb, ${options.active ?? true},
      ${box.seal(Redacted.make(secretOfTests))}, 0, 0, now(), now())`
  return { id, account }
})

/** Writes deliveries due at a moment; returns their ids. */
export const addDeliveries = Effect.fnUntraced(function* (
  webhook: WebhookId,
  count: number,
  dueAt: number,
  status = "pending",
) {
  const { sql } = yield* Postgres
  const due = new Date(dueAt)
  return yield* Effect.forEach(Array.from({ length: count }), () =>
    Effect.gen(function* () {
      const eventId = randomUUID()
      const body = Buffer.from(JSON.stringify({ id: `evt_${eventId}`, type: "trade", created_at: "", data: {} }))
      const [row] = yield* sql<{ id: string }>`
        insert into webhook_delivery (webhook, event_id, event_type, body, status, next_at, created_at)
        values (${webhook}, ${eventId}::uuid, 'trade', ${new Uint8Array(body)}, ${status},
          ${status === "pending" ? due : null}::timestamptz, ${due}::timestamptz)
        returning id::text`
      return { delivery: row?.id ?? "", eventId: `evt_${eventId}`, body }
    }),
  )
})

export interface DeliveryRow {
  readonly status: string
  readonly attempt: number
  readonly firstAttempt: number
  readonly nextAt: Date | null
  readonly claimedUntil: Date | null
}

export const deliveryRow = Effect.fnUntraced(function* (delivery: string) {
  const { sql } = yield* Postgres
  const [row] = yield* sql<DeliveryRow>`
    select status, attempt, first_attempt as "firstAttempt", next_at as "nextAt", claimed_until as "claimedUntil"
    from webhook_delivery where id = ${BigInt(delivery)}`
  return row ?? (yield* Effect.die("no delivery"))
})

export interface AttemptRow {
  readonly attempt: number
  readonly success: boolean
  readonly statusCode: number | null
  readonly errorClass: string | null
  readonly response: string | null
  readonly at: Date
}

export const attemptRows = Effect.fnUntraced(function* (webhook: WebhookId) {
  const { sql } = yield* Postgres
  return yield* sql<AttemptRow>`
    select attempt, success, status_code as "statusCode", error_class as "errorClass", response, at
    from webhook_attempt where webhook = ${webhook} order by id`
})

export const webhookRow = Effect.fnUntraced(function* (webhook: WebhookId) {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ active: boolean; reason: string | null; revision: bigint; failures: number | null }>`
    select w.active, w.disabled_reason as reason, w.revision, h.failures
    from webhook w left join webhook_health h on h.webhook = w.id where w.id = ${webhook}`
  return row ?? (yield* Effect.die("no webhook"))
})
