import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { webhooksDeliver } from "#actors/webhooksDeliver.ts"
import { webhooksMaintenance } from "#actors/webhooksMaintenance.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { WebhooksDeliver, WebhooksDeliverSlow, WebhooksMaintenance } from "#src/webhooks/contracts.ts"
import type { WebhookId } from "#src/webhooks/model.ts"
import { SecretBox } from "#src/webhooks/subscriptions/SecretBox.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { httpServer, tcpServer } from "./sending.ts"
import { addDeliveries, makeWebhook } from "./support/delivering.ts"

const flags = {
  "webhooks.allow-insecure": "true",
  "webhooks.deadline": "2s",
  "webhooks.slow": "1s",
  "webhooks.in-flight": "4",
  "webhooks.retries": "1h",
  "sweep.every": "200ms",
}

const worker = Layer.merge(webhooksDeliver, webhooksMaintenance).pipe(
  Layer.provideMerge(SecretBox.layer),
  Layer.provideMerge(testFoundation(flags)),
)

const receiver = Effect.gen(function* () {
  const ids: Array<string> = []
  const { port } = yield* httpServer((request, _, response) => {
    ids.push(String(request.headers["webhook-id"]))
    response.end()
  })
  return { ids, url: `http://127.0.0.1:${port}/` }
})

const enqueue = (deliveries: ReadonlyArray<{ readonly delivery: string }>) =>
  Effect.flatMap(Jobs, (jobs) =>
    jobs.enqueueAll(
      WebhooksDeliver,
      deliveries.map(({ delivery }) => ({ delivery, attempt: 1 })),
    ),
  )

const countByStatus = (webhook: WebhookId, status: string) =>
  Effect.flatMap(Postgres, ({ sql }) =>
    Effect.map(
      sql<{ count: number }>`
        select count(*)::int as count from webhook_delivery where webhook = ${webhook} and status = ${status}`,
      ([row]) => row?.count ?? 0,
    ),
  )

const allDelivered = (webhook: WebhookId, count: number) =>
  eventually(
    `${count} are delivered`,
    Effect.map(countByStatus(webhook, "delivered"), (n) => n === count),
  )

layer(worker, { excludeTestServices: true })("Webhook workers", (it) => {
  it.effect("deliver every request once, even if many are for one host", () =>
    Effect.gen(function* () {
      const target = yield* receiver
      const { id } = yield* makeWebhook({ url: target.url })
      const due = yield* addDeliveries(id, 100, yield* Clock.currentTimeMillis)
      yield* enqueue(due)
      yield* allDelivered(id, 100)
      assert.deepStrictEqual(target.ids.toSorted(), due.map(({ eventId }) => eventId).toSorted())
    }),
  )

  it.effect("deliver today what a clock that was a day ahead put off until tomorrow", () =>
    Effect.gen(function* () {
      const target = yield* receiver
      const { id } = yield* makeWebhook({ url: target.url })
      yield* addDeliveries(id, 5, (yield* Clock.currentTimeMillis) + 86_400_000)
      yield* (yield* Jobs).enqueue(WebhooksMaintenance, {})
      yield* allDelivered(id, 5)
      assert.strictEqual(new Set(target.ids).size, 5)
    }),
  )

  it.effect("find deliveries in their rows that Redis has lost", () =>
    Effect.gen(function* () {
      const target = yield* receiver
      const { id } = yield* makeWebhook({ url: target.url })
      yield* addDeliveries(id, 50, (yield* Clock.currentTimeMillis) - 4_000)
      yield* allDelivered(id, 50)
      assert.strictEqual(new Set(target.ids).size, 50)
    }),
  )

  it.effect("limit an endpoint that never answers to few slots and its own lane, so that others do not wait", () =>
    Effect.gen(function* () {
      let [current, most] = [0, 0]
      const hole = yield* tcpServer((socket) => {
        most = Math.max(most, ++current)
        socket.resume()
        socket.once("close", () => current--)
      })
      const target = yield* receiver
      const bad = yield* makeWebhook({ url: `http://127.0.0.1:${hole.port}/` })
      const good = yield* makeWebhook({ url: target.url })
      const now = yield* Clock.currentTimeMillis
      // More than the quick lane has slots, and before the others.
      const lost = yield* addDeliveries(bad.id, 150, now)
      const due = yield* addDeliveries(good.id, 50, now)
      yield* enqueue(lost)
      yield* enqueue(due)
      yield* allDelivered(good.id, 50)
      assert.isAbove(yield* countByStatus(bad.id, "pending"), 100)
      const slow = (yield* Jobs).queue(WebhooksDeliverSlow)
      yield* eventually(
        "the slow lane has them",
        Effect.map(
          Effect.promise(() => slow.getJobCounts("waiting", "active", "delayed")),
          (counts) => Object.values(counts).reduce((a, b) => a + b, 0) > 20,
        ),
      )
      assert.isAtMost(most, 4)
      const { sql } = yield* Postgres
      yield* sql`delete from webhook where id = ${bad.id}`
    }),
  )

  it.effect("delete old deliveries, but no pending ones", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { id } = yield* makeWebhook({ url: "http://127.0.0.1:9/", active: true })
      const now = yield* Clock.currentTimeMillis
      const day = 86_400_000
      yield* addDeliveries(id, 3, now - 8 * day, "delivered")
      yield* addDeliveries(id, 2, now - 6 * day, "failed")
      yield* sql`
        insert into webhook_delivery (webhook, event_id, event_type, body, status, next_at, created_at)
        values (${id}, gen_random_uuid(), 'trade', '', 'pending', ${new Date(now + day)}::timestamptz,
          ${new Date(now - 8 * day)}::timestamptz)`
      for (const days of [8, 6])
        yield* sql`
          insert into webhook_attempt (webhook, event_id, event_type, attempt, success, latency_ms, at)
          values (${id}, 'evt', 'trade', 1, true, 1, ${new Date(now - days * day)}::timestamptz)`
      yield* (yield* Jobs).enqueue(WebhooksMaintenance, {})
      yield* eventually(
        "the old ones are gone",
        Effect.map(countByStatus(id, "delivered"), (n) => n === 0),
      )
      assert.deepStrictEqual([yield* countByStatus(id, "failed"), yield* countByStatus(id, "pending")], [2, 1])
      yield* eventually(
        "one attempt is left",
        Effect.map(sql`select 1 from webhook_attempt where webhook = ${id}`, ({ length }) => length === 1),
      )
    }),
  )
})
