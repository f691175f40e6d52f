import { createHmac } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { WebhooksDeliver } from "#src/webhooks/contracts.ts"
import { Deliverer } from "#src/webhooks/delivery/Deliverer.ts"
import { Deliveries } from "#src/webhooks/delivery/Deliveries.ts"
import type { HistoryOptions } from "#src/webhooks/delivery/HistoryStore.ts"
import type { WebhookId } from "#src/webhooks/model.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { httpServer } from "./sending.ts"
import {
  addDeliveries,
  attemptRows,
  deliveryRow,
  makeAccount,
  makeWebhook,
  secretOfTests,
  testDelivery,
} from "./support/delivering.ts"

const start = Date.UTC(2030, 0, 1, 12)
const realClock = Effect.runSync(Clock.Clock)
const at = <A, E, R>(now: number, effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(
    effect,
    Clock.Clock,
    clockShowing(() => now, realClock),
  )

const attemptAt = (now: number, delivery: string, attempt: number) =>
  at(now, Effect.ignore(Effect.flatMap(Deliverer, (deliverer) => deliverer.attempt("quick", { delivery, attempt }))))

const endpoint = Effect.gen(function* () {
  const state = { status: 200, hits: [] as Array<{ headers: NodeJS.Dict<string | string[]>; body: string }> }
  const { port } = yield* httpServer((request, body, response) => {
    state.hits.push({ headers: request.headers, body: body.toString() })
    response.writeHead(state.status).end("said")
  })
  return Object.assign(state, { url: `http://127.0.0.1:${port}/` })
})

const queuedJobs = Effect.flatMap(Jobs, (jobs) =>
  Effect.promise(async () => {
    const waiting = await jobs.queue(WebhooksDeliver).getJobs(["waiting", "prioritized"])
    return waiting.map(({ data }) => `${data.delivery}-${data.attempt}`)
  }),
)

const historyOf = (webhook: WebhookId, options: Partial<HistoryOptions> = {}) =>
  Effect.flatMap(Deliveries, (deliveries) => deliveries.history(webhook, { limit: 50, offset: 0, ...options }))

const quotaOf = (account: string) =>
  Effect.flatMap(Postgres, ({ sql }) =>
    Effect.map(
      sql<{ used: number }>`select used from webhook_quota where account_id = ${account}::uuid`,
      ([row]) => row?.used ?? 0,
    ),
  )

layer(Deliveries.layer.pipe(Layer.provideMerge(testDelivery())), { excludeTestServices: true })("Deliveries", (it) => {
  it.effect("lists attempts newest first, by page, event and success", () =>
    Effect.gen(function* () {
      const target = yield* endpoint
      const { id } = yield* makeWebhook({ url: target.url })
      const [first, second] = yield* addDeliveries(id, 2, start)
      assert(first !== undefined && second !== undefined)
      target.status = 500
      yield* attemptAt(start, first.delivery, 1)
      target.status = 200
      yield* attemptAt(start + 10_000, first.delivery, 2)
      target.status = 404
      yield* attemptAt(start + 10_000, second.delivery, 1)
      const all = yield* historyOf(id)
      assert.deepStrictEqual(
        all.map((row) => [row.eventId, row.attempt, row.success, row.statusCode, row.status, row.nextAt?.getTime()]),
        [
          [second.eventId, 1, false, 404, "pending", start + 20_000],
          [first.eventId, 2, true, 200, "delivered", undefined],
          [first.eventId, 1, false, 500, "delivered", undefined],
        ],
      )
      for (const { latencyMs, response, sequence } of all) {
        assert.isAtLeast(latencyMs, 0)
        assert.strictEqual(response, "said")
        assert.isNotNull(sequence)
      }
      assert.deepStrictEqual(yield* historyOf(id, { limit: 1, offset: 1 }), all.slice(1, 2))
      assert.deepStrictEqual(yield* historyOf(id, { before: all[0]?.id }), all.slice(1))
      assert.deepStrictEqual(yield* historyOf(id, { eventId: first.eventId }), all.slice(1))
      assert.deepStrictEqual(yield* historyOf(id, { success: true }), all.slice(1, 2))
      assert.deepStrictEqual(
        yield* historyOf(id, { success: false }),
        all.filter(({ success }) => !success),
      )
      const counts = yield* (yield* Deliveries).counts(id)
      assert.deepStrictEqual(counts, { pending: 1, failed: 0, held: 0, over_cap: 0 })
    }),
  )

  it.effect("sends a signed test delivery to a paused webhook and records it", () =>
    Effect.gen(function* () {
      const target = yield* endpoint
      const { id } = yield* makeWebhook({ url: target.url, active: false })
      const deliveries = yield* Deliveries
      const good = yield* at(start, deliveries.test(id, { maker: "0x01" }))
      assert.deepStrictEqual([good.delivered, good.statusCode, good.error], [true, 200, null])
      const [hit] = target.hits
      const envelope = JSON.parse(hit?.body ?? "")
      assert.match(envelope.id, /^test_[0-9a-f-]{36}$/)
      assert.deepStrictEqual(
        [envelope.type, envelope.created_at, envelope.data.test, envelope.data.maker],
        ["trade", "2030-01-01T12:00:00.000+00:00", true, "0x01"],
      )
      const expected = createHmac("sha256", secretOfTests)
        .update(`${start / 1000}.${hit?.body}`)
        .digest("hex")
      assert.strictEqual(hit?.headers["x-webhook-signature"], `sha256=${expected}`)
      target.status = 500
      assert.isFalse((yield* at(start + 1, deliveries.test(id, undefined))).delivered)
      const records = yield* historyOf(id)
      assert.deepStrictEqual(
        records.map(({ attempt, success, status, sequence }) => [attempt, success, status, sequence]),
        [
          [1, false, null, null],
          [1, true, null, null],
        ],
      )
      assert.deepStrictEqual(yield* historyOf(id, { eventId: envelope.id }), records.slice(1))
    }),
  )

  it.effect("redelivers a delivered event as a new round under the same id", () =>
    Effect.gen(function* () {
      const target = yield* endpoint
      const { id, account } = yield* makeWebhook({ url: target.url })
      const [due] = yield* addDeliveries(id, 1, start)
      assert(due !== undefined)
      yield* attemptAt(start, due.delivery, 1)
      const deliveries = yield* Deliveries
      const released = yield* at(start + 60_000, deliveries.redeliver(id, account, due.eventId))
      assert.deepStrictEqual(released, { queued: 1, overCap: 0 })
      assert.include(yield* queuedJobs, `${due.delivery}-2`)
      target.status = 500
      yield* attemptAt(start + 60_000, due.delivery, 2)
      // The first attempt of a round, so the first delay.
      const row = yield* deliveryRow(due.delivery)
      assert.deepStrictEqual([row.firstAttempt, row.nextAt?.getTime()], [1, start + 70_000])
      assert.strictEqual(target.hits[0]?.body, target.hits[1]?.body)
      assert.strictEqual(yield* quotaOf(account), 0)
      assert.isUndefined(yield* deliveries.redeliver(id, account, "evt_00000000-0000-0000-0000-000000000000"))
      assert.isUndefined(yield* deliveries.redeliver(id, account, "evt_\0"))
    }),
  )

  it.effect("redelivers at once an event that waits for its next attempt", () =>
    Effect.gen(function* () {
      const target = Object.assign(yield* endpoint, { status: 500 })
      const { id, account } = yield* makeWebhook({ url: target.url })
      const [due] = yield* addDeliveries(id, 1, start)
      assert(due !== undefined)
      yield* attemptAt(start, due.delivery, 1)
      assert.notInclude(yield* queuedJobs, `${due.delivery}-2`)
      yield* at(start + 1_000, (yield* Deliveries).redeliver(id, account, due.eventId))
      assert.include(yield* queuedJobs, `${due.delivery}-2`)
      target.status = 200
      yield* attemptAt(start + 1_000, due.delivery, 2)
      assert.strictEqual((yield* deliveryRow(due.delivery)).status, "delivered")
    }),
  )

  it.effect("replays in bounded calls, continues from the cursor and sends nothing twice", () =>
    Effect.gen(function* () {
      const { id, account } = yield* makeWebhook({ url: "http://127.0.0.1:1/" })
      const { sql } = yield* Postgres
      yield* sql`
        insert into webhook_delivery (webhook, event_id, event_type, body, status, attempt, created_at)
        select ${id}, gen_random_uuid(), 'trade', '', case when n <= 1000 then 'delivered' else 'failed' end, 5,
          ${new Date(start)}::timestamptz from generate_series(1, 1001) n`
      let now = start
      const slow = clockShowing(() => (now += 4_000), realClock)
      const { replay } = yield* Deliveries
      const options = { since: new Date(start), which: "all" } as const
      const first = yield* Effect.provideService(replay(id, account, options), Clock.Clock, slow)
      assert.deepInclude(first, { queued: 1_000, overCap: 0 })
      assert.isDefined(first.next)
      // Even though the released ones have been delivered again meanwhile.
      yield* sql`update webhook_delivery set status = 'delivered' where webhook = ${id} and status = 'pending'`
      const rest = yield* at(now, replay(id, account, { ...options, after: first.next }))
      assert.deepStrictEqual(rest, { queued: 1, overCap: 0, next: undefined })
    }),
  )

  it.effect("replays held, failed and over-cap deliveries since a moment, and counts each against the quota once", () =>
    Effect.gen(function* () {
      const target = yield* endpoint
      const { id, account } = yield* makeWebhook({ url: target.url })
      const [early] = yield* addDeliveries(id, 1, start - 1, "held")
      const held = yield* addDeliveries(id, 3, start, "held")
      const [failed] = yield* addDeliveries(id, 1, start, "failed")
      const [delivered] = yield* addDeliveries(id, 1, start, "delivered")
      const [over] = yield* addDeliveries(id, 1, start, "over_cap")
      const deliveries = yield* Deliveries
      const since = new Date(start)
      const released = yield* at(start + 1_000, deliveries.replay(id, account, { since, which: "missed" }))
      assert.deepStrictEqual(released, { queued: 5, overCap: 0, next: undefined })
      assert.strictEqual(yield* quotaOf(account), 4)
      for (const { delivery } of [...held, failed, over].filter((one) => one !== undefined))
        assert.strictEqual((yield* deliveryRow(delivery)).status, "pending")
      assert.strictEqual((yield* deliveryRow(early?.delivery ?? "")).status, "held")
      assert.strictEqual((yield* deliveryRow(delivered?.delivery ?? "")).status, "delivered")

      // Paused before it was sent, it is held again and not counted a second time.
      const { sql } = yield* Postgres
      yield* sql`update webhook set active = false where id = ${id}`
      for (const { delivery } of held) yield* attemptAt(start + 2_000, delivery, 1)
      assert.deepStrictEqual(yield* at(start + 3_000, deliveries.replay(id, account, { since, which: "all" })), {
        queued: 0,
        overCap: 0,
        next: undefined,
      })
      yield* sql`update webhook set active = true where id = ${id}`
      const again = yield* at(start + 4_000, deliveries.replay(id, account, { since, which: "all" }))
      assert.deepStrictEqual(again, { queued: 4, overCap: 0, next: undefined })
      assert.strictEqual(yield* quotaOf(account), 4)
    }),
  )

  it.effect("leaves deliveries beyond the daily quota unsent", () =>
    Effect.gen(function* () {
      const target = yield* endpoint
      const { id, account } = yield* makeWebhook({ url: target.url, account: yield* makeAccount("starter") })
      const due = yield* addDeliveries(id, 3, start, "over_cap")
      const { sql } = yield* Postgres
      yield* sql`insert into webhook_quota values (${account}::uuid, '2030-01-01', 49999, 0)`
      const deliveries = yield* Deliveries
      const since = new Date(start)
      const released = yield* at(start, deliveries.replay(id, account, { since, which: "missed" }))
      assert.deepStrictEqual(released, { queued: 1, overCap: 2, next: undefined })
      assert.deepStrictEqual(yield* at(start, deliveries.redeliver(id, account, due[2]?.eventId ?? "")), {
        queued: 0,
        overCap: 1,
      })
      const rows = yield* Effect.forEach(due, ({ delivery }) => deliveryRow(delivery))
      assert.deepStrictEqual(
        rows.map(({ status }) => status),
        ["pending", "over_cap", "over_cap"],
      )
      // The next day has quota again.
      const next = yield* at(start + 86_400_000, deliveries.replay(id, account, { since, which: "missed" }))
      assert.deepStrictEqual(next, { queued: 2, overCap: 0, next: undefined })
      assert.strictEqual((yield* attemptRows(id)).length, 0)
    }),
  )
})
