import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/Postgres.ts"
import { DeliveryStore } from "#src/webhooks/delivery/DeliveryStore.ts"
import type { WebhookId } from "#src/webhooks/model.ts"
import { makeWebhook, owe, testDelivery } from "./support/delivering.ts"

const start = Date.UTC(2030, 0, 1)

const oweMany = (webhook: WebhookId, count: number, dueAt: number) =>
  Effect.flatMap(
    Postgres,
    ({ sql }) => sql<{ delivery: string }>`
      insert into webhook_delivery (webhook, event_id, event_type, body, status, next_at, created_at)
      select ${webhook}, gen_random_uuid(), 'trade', '{}', 'pending', ${new Date(dueAt)}::timestamptz, now()
      from generate_series(1, ${count}::int4) returning id::text as delivery`,
  )

layer(testDelivery(), { excludeTestServices: true })("A long backlog of one who never answers", (it) => {
  it.effect("hides nothing that is overdue for the others", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const { sql } = yield* Postgres
      const [dead, good, later] = yield* Effect.all([
        makeWebhook({ url: "http://127.0.0.1:9/dead" }),
        makeWebhook({ url: "http://127.0.0.1:9/good" }),
        makeWebhook({ url: "http://127.0.0.1:9/later" }),
      ])
      const lost = new Set((yield* oweMany(dead.id, 10_100, start - 60_000)).map(({ delivery }) => delivery))
      const owed = yield* owe(good.id, 50, start - 5_000)
      yield* owe(later.id, 5, start + 60_000)
      const found = (yield* store.overdue(start)).map(({ delivery }) => delivery)
      assert.deepStrictEqual(
        found.filter((delivery) => !lost.has(delivery)).toSorted(),
        owed.map(({ delivery }) => delivery).toSorted(),
      )
      assert.strictEqual(found.length, 350)
      yield* sql`delete from webhook`
    }),
  )
})
