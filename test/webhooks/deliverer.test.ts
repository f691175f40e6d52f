import { createHmac } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Redacted, Result } from "effect"
import { Postponed } from "#src/mesh/Job.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { WebhooksDeliver } from "#src/webhooks/contracts.ts"
import { Deliverer } from "#src/webhooks/delivery/Deliverer.ts"
import { DeliveryBatcher } from "#src/webhooks/delivery/DeliveryBatcher.ts"
import { SecretBox } from "#src/webhooks/subscriptions/SecretBox.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { eventually } from "#test/support/eventually.ts"
import { httpServer } from "./sending.ts"
import {
  addDeliveries,
  attemptRows,
  deliveryRow,
  makeWebhook,
  secretOfTests,
  testDelivery,
  webhookRow,
} from "./support/delivering.ts"

const start = Date.UTC(2030, 0, 1)
const realClock = Effect.runSync(Clock.Clock)

/** Makes an attempt at a moment; returns how long it was postponed, if it was. */
const attemptAt = (now: number, delivery: string, attempt: number) =>
  Effect.flatMap(Deliverer, (deliverer) => deliverer.attempt("quick", { delivery, attempt })).pipe(
    Effect.provideService(
      Clock.Clock,
      clockShowing(() => now, realClock),
    ),
    Effect.result,
    Effect.flatMap((result) => {
      if (Result.isSuccess(result)) return Effect.succeed(0)
      return result.failure instanceof Postponed
        ? Effect.succeed(Duration.toMillis(result.failure.after))
        : Effect.fail(result.failure)
    }),
  )

/** An endpoint whose answers the test sets. */
const endpoint = Effect.gen(function* () {
  const state = { status: 200, hits: [] as Array<{ headers: NodeJS.Dict<string | string[]>; body: Buffer }> }
  const { port } = yield* httpServer((request, body, response) => {
    state.hits.push({ headers: request.headers, body })
    response.writeHead(state.status).end("said")
  })
  return Object.assign(state, { url: `http://127.0.0.1:${port}/hook` })
})

const disabling = { "webhooks.disable-after": "1h", "webhooks.disable-failures": "3", "webhooks.retries": "10s" }

layer(testDelivery(), { excludeTestServices: true })("Deliverer", (it) => {
  it.effect("sends the row's bytes, signed, and records the delivery", () =>
    Effect.gen(function* () {
      const target = yield* endpoint
      const { id } = yield* makeWebhook({ url: target.url })
      const [due] = yield* addDeliveries(id, 1, start)
      assert(due !== undefined)
      assert.strictEqual(yield* attemptAt(start, due.delivery, 1), 0)
      const [hit] = target.hits
      assert.deepStrictEqual(hit?.body, due.body)
      const timestamp = String(start / 1000)
      assert.strictEqual(hit?.headers["x-webhook-timestamp"], timestamp)
      const expected = createHmac("sha256", secretOfTests).update(`${timestamp}.${due.body}`).digest("hex")
      assert.strictEqual(hit?.headers["x-webhook-signature"], `sha256=${expected}`)
      assert.strictEqual(hit?.headers["webhook-id"], due.eventId)
      const row = yield* deliveryRow(due.delivery)
      assert.deepStrictEqual([row.status, row.attempt, row.nextAt, row.claimedUntil], ["delivered", 1, null, null])
      const [attempt] = yield* attemptRows(id)
      assert.deepStrictEqual([attempt?.success, attempt?.statusCode, attempt?.response], [true, 200, "said"])
    }),
  )

  it.effect("also signs with the previous secret until its overlap ends", () =>
    Effect.gen(function* () {
      const target = yield* endpoint
      const { id } = yield* makeWebhook({ url: target.url })
      const until = start + 86_400_000
      const { sql } = yield* Postgres
      const old = "whsec_ffffffffffffffffffffffffffffffff"
      yield* sql`
        update webhook set previous_secret = ${(yield* SecretBox).seal(Redacted.make(old))},
          previous_until = ${new Date(until)}::timestamptz
        where id = ${id}`
      const [during, after] = yield* addDeliveries(id, 2, start)
      yield* attemptAt(until - 1, during?.delivery ?? "", 1)
      yield* attemptAt(until, after?.delivery ?? "", 1)
      const [first, second] = target.hits.map(({ headers, body }) => {
        const signed = `${headers["x-webhook-timestamp"]}.${body}`
        const by = (secret: string) => `sha256=${createHmac("sha256", secret).update(signed).digest("hex")}`
        assert.strictEqual(headers["x-webhook-signature"], by(secretOfTests))
        return { previous: headers["x-webhook-signature-previous"], byOld: by(old), all: headers["webhook-signature"] }
      })
      assert.strictEqual(first?.previous, first?.byOld)
      assert.strictEqual(String(first?.all).split(" ").length, 2)
      assert.isUndefined(second?.previous)
      assert.strictEqual(String(second?.all).split(" ").length, 1)
    }),
  )

  it.effect("does not wait until tomorrow for an attempt that a clock ahead has put off", () =>
    Effect.gen(function* () {
      const target = yield* endpoint
      const { id } = yield* makeWebhook({ url: target.url })
      const [due] = yield* addDeliveries(id, 1, start + 86_400_000)
      assert(due !== undefined)
      assert.strictEqual(yield* attemptAt(start, due.delivery, 1), 10_000)
      assert.strictEqual(target.hits.length, 0)
    }),
  )

  it.effect("tries five times, after 10 s, 60 s, 5 min and 1 h, never early, and then stops", () =>
    Effect.gen(function* () {
      const target = Object.assign(yield* endpoint, { status: 503 })
      const { id } = yield* makeWebhook({ url: target.url })
      const [due] = yield* addDeliveries(id, 1, start)
      assert(due !== undefined)
      const jobs = yield* Jobs
      let now = start
      for (const [i, wait] of [10_000, 60_000, 300_000, 3_600_000].entries()) {
        yield* attemptAt(now, due.delivery, i + 1)
        const { status, nextAt } = yield* deliveryRow(due.delivery)
        assert.deepStrictEqual([status, nextAt?.getTime()], ["pending", now + wait])
        // The next attempt is enqueued with its delay, and waits if it runs too soon.
        const next = yield* Effect.promise(() =>
          jobs.queue(WebhooksDeliver).getDeduplicationJobId(`${due.delivery}-${i + 2}`),
        )
        const job = yield* Effect.promise(() => jobs.queue(WebhooksDeliver).getJob(next ?? ""))
        assert.strictEqual(job?.opts.delay, wait)
        assert.strictEqual(yield* attemptAt(now + wait - 1, due.delivery, i + 2), 1)
        assert.strictEqual(target.hits.length, i + 1)
        now += wait
      }
      yield* attemptAt(now, due.delivery, 5)
      assert.strictEqual((yield* deliveryRow(due.delivery)).status, "failed")
      assert.strictEqual(yield* attemptAt(now + 7_200_000, due.delivery, 6), 0)
      assert.strictEqual(target.hits.length, 5)
      const attempts = yield* attemptRows(id)
      assert.deepStrictEqual(
        attempts.map((row) => [row.attempt, row.statusCode, row.errorClass, row.at.getTime() - start]),
        [0, 10_000, 70_000, 370_000, 3_970_000].map((at, i) => [i + 1, 503, "status", at]),
      )
    }),
  )

  it.effect("sends an attempt once, however many jobs request it in any process", () =>
    Effect.gen(function* () {
      const target = yield* endpoint
      const { id } = yield* makeWebhook({ url: target.url })
      // As many as there are slots: with more, a busy machine may postpone some.
      const due = yield* addDeliveries(id, 8, start)
      yield* Effect.forEach([...due, ...due, ...due], ({ delivery }) => attemptAt(start, delivery, 1), {
        concurrency: "unbounded",
      })
      assert.strictEqual(target.hits.length, 8)
      assert.strictEqual((yield* attemptRows(id)).length, 8)
    }),
  )

  it.effect("repeats an attempt under the same number after its worker died and the claim expired", () =>
    Effect.gen(function* () {
      const target = yield* endpoint
      const { id } = yield* makeWebhook({ url: target.url })
      const [due] = yield* addDeliveries(id, 1, start)
      assert(due !== undefined)
      const store = yield* DeliveryBatcher
      // Claimed, perhaps sent, and never recorded.
      const until = new Date(start + 10_000)
      const claim = yield* store.claim({ delivery: due.delivery, attempt: 1, now: new Date(start), until })
      assert.strictEqual(claim._tag, "Claimed")
      assert.strictEqual(yield* attemptAt(start + 4_000, due.delivery, 1), 6_000)
      assert.deepStrictEqual(yield* store.overdue(start + 9_999), [])
      assert.deepStrictEqual(
        (yield* store.overdue(start + 10_000)).map(({ delivery, attempt }) => [delivery, attempt]),
        [[due.delivery, 1]],
      )
      yield* attemptAt(start + 10_000, due.delivery, 1)
      assert.strictEqual(target.hits.length, 1)
      assert.strictEqual((yield* deliveryRow(due.delivery)).status, "delivered")

      // The worker that was presumed dead changes nothing when it comes back.
      assert(claim._tag === "Claimed")
      const answer = {
        success: false,
        statusCode: 500,
        latencyMs: 1,
        errorClass: "status",
        error: "",
        response: "",
      } as const
      const late = yield* store.record({
        claim,
        answer,
        next: { status: "failed", nextAt: null },
        at: new Date(start + 11_000),
      })
      assert.isFalse(late.counted)
      assert.strictEqual((yield* deliveryRow(due.delivery)).status, "delivered")
      assert.strictEqual((yield* attemptRows(id)).length, 1)
    }),
  )

  it.effect("finds overdue attempts whose jobs are lost", () =>
    Effect.gen(function* () {
      const target = yield* endpoint
      const { id } = yield* makeWebhook({ url: target.url })
      const [never, later] = yield* addDeliveries(id, 2, start - 60_000)
      assert(never !== undefined && later !== undefined)
      target.status = 500
      yield* attemptAt(start, later.delivery, 1)
      const store = yield* DeliveryBatcher
      const mine = (rows: ReadonlyArray<{ delivery: string; attempt: number }>) =>
        rows.flatMap(({ delivery, attempt }) =>
          [never.delivery, later.delivery].includes(delivery) ? [{ delivery, attempt }] : [],
        )
      assert.deepStrictEqual(mine(yield* store.overdue(start)), [{ delivery: never.delivery, attempt: 1 }])
      assert.deepStrictEqual(mine(yield* store.overdue(start + 13_000)), [
        { delivery: never.delivery, attempt: 1 },
        { delivery: later.delivery, attempt: 2 },
      ])
    }),
  )

  it.effect("holds deliveries of an inactive webhook and records that in its history", () =>
    Effect.gen(function* () {
      const target = yield* endpoint
      const { id } = yield* makeWebhook({ url: target.url, active: false })
      const [due] = yield* addDeliveries(id, 1, start)
      assert(due !== undefined)
      yield* attemptAt(start, due.delivery, 1)
      assert.strictEqual(target.hits.length, 0)
      assert.strictEqual((yield* deliveryRow(due.delivery)).status, "held")
      const [attempt] = yield* attemptRows(id)
      assert.deepStrictEqual([attempt?.attempt, attempt?.success, attempt?.errorClass], [0, false, "held"])
    }),
  )

  it.effect("stops for a deactivated account", () =>
    Effect.gen(function* () {
      const target = yield* endpoint
      const { id, account } = yield* makeWebhook({ url: target.url })
      const [due] = yield* addDeliveries(id, 1, start)
      const { sql } = yield* Postgres
      yield* sql`update account set active = false where id = ${account}::uuid`
      yield* attemptAt(start, due?.delivery ?? "", 1)
      assert.strictEqual(target.hits.length, 0)
      assert.strictEqual((yield* deliveryRow(due?.delivery ?? "")).status, "held")
      assert.deepStrictEqual(
        (yield* attemptRows(id)).map(({ attempt, errorClass }) => [attempt, errorClass]),
        [[0, "held"]],
      )
    }),
  )

  it.effect("limits concurrent attempts of one account to a host and postpones the others", () =>
    Effect.gen(function* () {
      const open: Array<() => void> = []
      const { port } = yield* httpServer((_, __, response) => open.push(() => response.end()))
      const { id } = yield* makeWebhook({ url: `http://127.0.0.1:${port}/` })
      const due = yield* addDeliveries(id, 30, start)
      const waits: Array<number> = []
      const asking = yield* Effect.forkChild(
        Effect.forEach(due, ({ delivery }) => Effect.map(attemptAt(start, delivery, 1), (wait) => waits.push(wait)), {
          concurrency: "unbounded",
        }),
      )
      yield* eventually(
        "eight are on their way and the others are back",
        Effect.sync(() => open.length === 8 && waits.length === 22),
      )
      for (const wait of waits) assert.isAbove(wait, 0)
      for (const answer of open) answer()
      yield* Fiber.join(asking)
      const rows = yield* Effect.forEach(due, ({ delivery }) => deliveryRow(delivery))
      const back = rows.filter(({ status }) => status === "pending")
      assert.strictEqual(back.length, 22)
      for (const row of back) assert.deepStrictEqual([row.attempt, row.claimedUntil], [0, null])
      assert.strictEqual((yield* attemptRows(id)).length, 8)
    }),
  )
})

layer(testDelivery(disabling), { excludeTestServices: true })("Failing webhooks", (it) => {
  /** Makes both attempts of one delivery, the last with this status. */
  const deliver = Effect.fnUntraced(function* (
    id: Parameters<typeof addDeliveries>[0],
    target: { status: number },
    at: number,
    status: number,
  ) {
    const [due] = yield* addDeliveries(id, 1, at)
    target.status = 500
    yield* attemptAt(at, due?.delivery ?? "", 1)
    target.status = status
    yield* attemptAt(at + 10_000, due?.delivery ?? "", 2)
  })
  const hour = 3_600_000

  it.effect("are disabled after enough failed deliveries over enough time, and not before", () =>
    Effect.gen(function* () {
      const target = yield* endpoint
      const { id } = yield* makeWebhook({ url: target.url })
      const table = [
        [0, 500, 1, true],
        [1_000, 500, 2, true],
        // Enough failures, too soon.
        [2_000, 500, 3, true],
        [hour - 1, 500, 4, true],
        [hour, 500, 5, false],
      ] as const
      for (const [after, status, failures, active] of table) {
        yield* deliver(id, target, start + after, status)
        const row = yield* webhookRow(id)
        assert.deepStrictEqual([row.failures, row.active], [failures, active], `after ${after} ms`)
      }
      const row = yield* webhookRow(id)
      assert.match(row.reason ?? "", /^All deliveries have failed since 2030-01-01T00:00:10.000Z, 5 in a row\.$/)
      const { sql } = yield* Postgres
      const [current] = yield* sql<{ revision: bigint }>`select revision from webhook_revision`
      assert.strictEqual(row.revision, current?.revision)
    }),
  )

  it.effect("recover with a single success, and failed attempts alone do not count", () =>
    Effect.gen(function* () {
      const target = yield* endpoint
      const { id } = yield* makeWebhook({ url: target.url })
      const table = [
        [0, 500, 1],
        [1_000, 500, 2],
        [2 * hour, 200, null],
        [2 * hour + 1_000, 500, 1],
        [4 * hour, 500, 2],
      ] as const
      for (const [after, status, failures] of table) {
        yield* deliver(id, target, start + after, status)
        const row = yield* webhookRow(id)
        assert.deepStrictEqual([row.failures, row.active], [failures, true], `after ${after} ms`)
      }
    }),
  )

  it.effect("are disabled at once when the endpoint is gone, and pending deliveries are held", () =>
    Effect.gen(function* () {
      const target = yield* endpoint
      const { id } = yield* makeWebhook({ url: target.url })
      const [first, second] = yield* addDeliveries(id, 2, start)
      target.status = 410
      yield* attemptAt(start, first?.delivery ?? "", 1)
      assert.strictEqual((yield* deliveryRow(first?.delivery ?? "")).status, "failed")
      const row = yield* webhookRow(id)
      assert.deepStrictEqual([row.active, row.reason], [false, "The endpoint answered 410 Gone."])
      yield* attemptAt(start, second?.delivery ?? "", 1)
      assert.strictEqual((yield* deliveryRow(second?.delivery ?? "")).status, "held")
      assert.strictEqual(target.hits.length, 1)
    }),
  )

  it.effect("are not disabled by answers of their previous url", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const answers: Array<() => void> = []
      const old = yield* httpServer((_, __, response) => answers.push(() => response.writeHead(410).end()))
      const { id } = yield* makeWebhook({ url: `http://127.0.0.1:${old.port}/` })
      const [due] = yield* addDeliveries(id, 1, start)
      const sending = yield* Effect.forkChild(attemptAt(start, due?.delivery ?? "", 1))
      yield* eventually(
        "the old endpoint was asked",
        Effect.sync(() => answers.length === 1),
      )
      yield* sql`update webhook set url = 'http://127.0.0.1:9/new' where id = ${id}`
      for (const answer of answers) answer()
      yield* Fiber.join(sending)
      assert.strictEqual((yield* deliveryRow(due?.delivery ?? "")).status, "failed")
      assert.isTrue((yield* webhookRow(id)).active)
    }),
  )
})
