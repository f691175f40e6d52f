import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { WebhooksDeliverSlow } from "#src/webhooks/contracts.ts"
import { Deliverer } from "#src/webhooks/delivery/Deliverer.ts"
import { DeliveryBatcher } from "#src/webhooks/delivery/DeliveryBatcher.ts"
import type { WebhookId } from "#src/webhooks/model.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { eventually } from "#test/support/eventually.ts"
import { httpServer, tcpServer } from "./sending.ts"
import { addDeliveries, deliveryRow, makeWebhook, testDelivery } from "./support/delivering.ts"

const start = Date.UTC(2030, 0, 1)
const realClock = Effect.runSync(Clock.Clock)

const oweMany = (webhook: WebhookId, count: number, dueAt: number) =>
  Effect.flatMap(
    Postgres,
    ({ sql }) => sql<{ delivery: string }>`
      insert into webhook_delivery (webhook, event_id, event_type, body, status, next_at, created_at)
      select ${webhook}, gen_random_uuid(), 'trade', '{}', 'pending', ${new Date(dueAt)}::timestamptz, now()
      from generate_series(1, ${count}::int4) returning id::text as delivery`,
  )

layer(testDelivery(), { excludeTestServices: true })("A long backlog of an unresponsive endpoint", (it) => {
  it.effect("hides no overdue attempts of other webhooks", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryBatcher
      const { sql } = yield* Postgres
      const [dead, good, later] = yield* Effect.all([
        makeWebhook({ url: "http://127.0.0.1:9/dead" }),
        makeWebhook({ url: "http://127.0.0.1:9/good" }),
        makeWebhook({ url: "http://127.0.0.1:9/later" }),
      ])
      const lost = new Set((yield* oweMany(dead.id, 10_100, start - 60_000)).map(({ delivery }) => delivery))
      const due = yield* addDeliveries(good.id, 50, start - 5_000)
      yield* addDeliveries(later.id, 5, start + 60_000)
      const found = (yield* store.overdue(start)).map(({ delivery }) => delivery)
      assert.deepStrictEqual(
        found.filter((delivery) => !lost.has(delivery)).toSorted(),
        due.map(({ delivery }) => delivery).toSorted(),
      )
      assert.strictEqual(found.length, 350)
      yield* sql`delete from webhook`
    }),
  )

  it.effect("passes the quick lane once, and then the slow lane at the host's pace", () =>
    Effect.gen(function* () {
      const deliverer = yield* Deliverer
      const store = yield* DeliveryBatcher
      const time = { now: start }
      const clock = clockShowing(() => time.now, realClock)
      const attempt = (delivery: string) =>
        Effect.provideService(deliverer.attempt("quick", { delivery, attempt: 1 }), Clock.Clock, clock)
      let asked = 0
      const hole = yield* tcpServer((socket) => socket.once("data", () => asked++))
      const arrived: Array<string> = []
      const target = yield* httpServer((request, _, response) => {
        arrived.push(String(request.headers["webhook-id"]))
        response.end()
      })
      const dead = yield* makeWebhook({ url: `http://127.0.0.1:${hole.port}/` })
      const good = yield* makeWebhook({ url: `http://127.0.0.1:${target.port}/`, account: dead.account })
      const first = yield* oweMany(dead.id, 8, start)
      const finding = yield* Effect.forkChild(
        Effect.forEach(first, ({ delivery }) => attempt(delivery), { concurrency: "unbounded" }),
      )
      yield* eventually(
        "eight are on their way",
        Effect.sync(() => asked === 8),
      )
      time.now += 5_000
      yield* Fiber.join(finding)

      const backlog = yield* oweMany(dead.id, 3_000, time.now)
      yield* Effect.forEach(backlog, ({ delivery }) => attempt(delivery), { concurrency: 500 })
      assert.strictEqual(asked, 8)
      const one = backlog[0]?.delivery ?? ""
      const { attempt: made, claimedUntil, nextAt } = yield* deliveryRow(one)
      assert.deepStrictEqual([made, claimedUntil], [0, null])
      const queue = (yield* Jobs).queue(WebhooksDeliverSlow)
      const job = yield* Effect.promise(async () => queue.getJob((await queue.getDeduplicationJobId(`${one}-1`)) ?? ""))
      assert.isAbove(job?.opts.delay ?? 0, 0)
      assert.strictEqual(job?.opts.delay, (nextAt?.getTime() ?? 0) - time.now)

      // Half a minute of sweeps whose attempts are not made.
      const due = yield* addDeliveries(good.id, 50, time.now)
      const seen = { quick: new Set<string>(), slow: new Set<string>() }
      for (let round = 0; round < 6; round++) {
        time.now += 5_000
        for (const each of yield* store.overdue(time.now)) {
          const lane = yield* Effect.provideService(deliverer.laneOf(each), Clock.Clock, clock)
          seen[lane].add(each.delivery)
        }
      }
      assert.deepStrictEqual([...seen.quick].toSorted(), due.map(({ delivery }) => delivery).toSorted())
      assert.isAtMost(seen.slow.size, 250)
      yield* Effect.forEach(due.slice(0, 8), ({ delivery }) => attempt(delivery), { concurrency: 4 })
      assert.strictEqual(arrived.length, 8)
    }),
  )
})
