import type { IncomingHttpHeaders } from "node:http"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { WebhookId } from "#src/webhooks/model.ts"
import { serving } from "#test/http/support/serving.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { httpServer } from "#test/webhooks/sending.ts"
import { addDeliveries } from "#test/webhooks/support/delivering.ts"
import { isAlsoSignedBy, isSignedBy } from "#test/webhooks/support/verifier.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { create, send } from "./support/webhooks.ts"

const server = ApiServer.pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(testFoundation({ port: "0", host: "127.0.0.1", "webhooks.allow-insecure": "true" })),
)

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A local receiver that answers with a status. */
const receiver = (status: number) =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    const { port } = yield* httpServer((request, body, response) => {
      received.push({ headers: request.headers, body })
      response.writeHead(status).end("so be it")
    })
    return { received, url: `http://127.0.0.1:${port}/hook` }
  })

const unknown = "evt_00000000-0000-5000-8000-000000000000"

layer(server, { excludeTestServices: true })("Deliveries over REST", (it) => {
  it.effect("are tried out, whether the webhook is active or not, and written down", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const { received, url } = yield* receiver(200)
      const { json: webhook } = yield* create(key, { url, event_types: ["redemption", "trade"] })
      const path = `/v3/webhooks/${webhook.id}`
      const tested = yield* send(key, "POST", `${path}/test`)
      assert.deepInclude(tested.json, { delivered: true, status_code: 200, error: null })
      assert.isAtLeast(tested.json.latency_ms, 0)
      const [first] = received
      assert.isDefined(first)
      if (first === undefined) return
      const body = JSON.parse(first.body.toString())
      assert.match(body.id, /^test_[0-9a-f-]{36}$/)
      assert.deepInclude(body, { type: "redemption" })
      assert.strictEqual(body.data.test, true)
      assert.isTrue(isSignedBy(first, webhook.secret))

      yield* send(key, "PUT", path, { active: false })
      const rotated = yield* send(key, "POST", `${path}/rotate-secret`)
      yield* send(key, "POST", `${path}/test`)
      const second = received[1] ?? first
      assert.isTrue(isSignedBy(second, rotated.json.secret) && isAlsoSignedBy(second, webhook.secret))

      const history = yield* askWith(key, `${path}/deliveries/`)
      assert.strictEqual(history.json.count, 2)
      const [newest, oldest] = history.json.deliveries
      assert.deepInclude(oldest, {
        event_type: "redemption",
        event_id: body.id,
        status_code: 200,
        attempt: 1,
        success: true,
        error: null,
        response: "so be it",
        delivery_status: null,
      })
      const older = yield* askWith(key, `${path}/deliveries?before=${newest.cursor}`)
      assert.deepStrictEqual(older.json.deliveries, [oldest])
      assert.deepStrictEqual((yield* askWith(key, `${path}/deliveries?offset=1`)).json.deliveries, [oldest])
      const of = (query: string) => Effect.map(askWith(key, `${path}/deliveries?${query}`), ({ json }) => json.count)
      assert.strictEqual(yield* of(`event_id=${body.id}`), 1)
      assert.strictEqual(yield* of("event_id=nonsense"), 0)
      assert.strictEqual(yield* of("success=true&limit=1"), 1)
      assert.strictEqual(yield* of("success=False"), 0)
      for (const limit of [0, -3]) assert.strictEqual(yield* of(`limit=${limit}`), 1)
      assert.strictEqual(yield* of("limit=201"), 2)
    }).pipe(Effect.scoped),
  )

  it.effect("that fail say so, and never as a fault of ours", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const refusing = yield* receiver(503)
      const { json: webhook } = yield* create(key, { url: refusing.url })
      const tested = yield* send(key, "POST", `/v3/webhooks/${webhook.id}/test`)
      assert.deepInclude(tested.json, { delivered: false, status_code: 503 })
      assert.isString(tested.json.error)
      const { json } = yield* askWith(key, `/v3/webhooks/${webhook.id}/deliveries?success=false`)
      assert.deepInclude(json.deliveries[0], { success: false, error_class: "status", status_code: 503 })
    }).pipe(Effect.scoped),
  )

  it.effect("are sent again one by one or since a moment, by an active webhook", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const { json: webhook } = yield* create(key)
      const path = `/v3/webhooks/${webhook.id}`
      const now = Date.now()
      const failed = yield* addDeliveries(WebhookId.make(webhook.id), 3, now - 60_000, "failed")
      yield* addDeliveries(WebhookId.make(webhook.id), 2, now - 60_000, "held")
      yield* addDeliveries(WebhookId.make(webhook.id), 4, now - 7_200_000, "failed")
      const redeliver = (event: string) => send(key, "POST", `${path}/deliveries/${event}/redeliver`)
      const replay = (body: unknown) => send(key, "POST", `${path}/replay`, body)
      const { eventId = "" } = failed[0] ?? {}

      yield* send(key, "PUT", path, { active: false })
      const paused = yield* redeliver(eventId)
      assert.strictEqual(paused.status, 409)
      assert.match(paused.json.hint, /active/)
      assert.strictEqual((yield* replay({ since: 0 })).status, 409)
      yield* send(key, "PUT", path, { active: true })

      assert.deepStrictEqual((yield* redeliver(eventId)).json, { queued: 1, over_cap: 0 })
      for (const event of [unknown, unknown.replace("evt_", "test_"), "nonsense", "5", "%27", "x".repeat(3000)])
        assert.strictEqual((yield* redeliver(event)).status, 404, event.slice(0, 50))

      const hour = Math.floor(now / 1000) - 3600
      const all = { complete: true, next: null }
      assert.deepStrictEqual((yield* replay({ since: hour })).json, { queued: 4, over_cap: 0, ...all })
      assert.deepStrictEqual((yield* replay({ since: hour })).json, { queued: 0, over_cap: 0, ...all })
      const long = new Date(now - 86_400_000).toISOString()
      assert.deepStrictEqual((yield* replay({ since: long, delivered: true })).json, { queued: 4, over_cap: 0, ...all })
    }),
  )

  it.effect("are counted as the health of their webhook, and shown with the bytes that are sent", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { key } = yield* keyOf("starter")
      const { json: webhook } = yield* create(key)
      const { json: idle } = yield* create(key)
      const id = WebhookId.make(webhook.id)
      const now = Date.now()
      const [first] = yield* addDeliveries(id, 2, now - 90_000)
      yield* addDeliveries(id, 1, now + 3_600_000)
      yield* addDeliveries(id, 3, now, "failed")
      const attempt = (latency: number, isSuccess: boolean, minutesAgo = 1) => sql`
        insert into webhook_attempt (webhook, delivery, event_id, event_type, attempt, success, status_code, latency_ms, at)
        values (${id}, 1, 'evt_x', 'trade', 1, ${isSuccess}, ${isSuccess ? 200 : 500}, ${latency},
          ${new Date(now - minutesAgo * 60_000)}::timestamptz)`
      yield* attempt(9_999, true, 1_500)
      for (const latency of [10, 20, 30]) yield* attempt(latency, true)
      yield* attempt(40, false)

      const { json } = yield* askWith(key, "/v3/webhooks/health")
      assert.deepStrictEqual(
        json.webhooks.map(({ id }: { id: string }) => id),
        [idle.id, webhook.id],
      )
      assert.deepInclude(json.webhooks[0], {
        attempts: 0,
        success_rate: null,
        latency_p50_ms: null,
        oldest_due_at: null,
      })
      assert.deepInclude(json.webhooks[1], {
        attempts: 4,
        successes: 3,
        success_rate: 0.75,
        latency_p50_ms: 20,
        pending: 3,
        oldest_due_at: new Date(now - 90_000).toISOString(),
        missed: 3,
      })

      const path = `/v3/webhooks/${webhook.id}/deliveries`
      const shown = yield* askWith(key, `${path}/${first?.eventId}`)
      assert.deepInclude(shown.json, { status: "pending", attempts: 0, body: first?.body.toString() })
      const stranger = yield* keyOf("starter")
      assert.strictEqual((yield* askWith(stranger.key, `${path}/${first?.eventId}`)).status, 404)
      assert.deepStrictEqual((yield* askWith(stranger.key, "/v3/webhooks/health")).json, { webhooks: [] })
      for (const event of [unknown, "nonsense", "test_1"])
        assert.strictEqual((yield* askWith(key, `${path}/${event}`)).status, 404, event)
    }),
  )

  it.effect("are asked for in words that make sense, or it is said what would", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const { json: webhook } = yield* create(key)
      const path = `/v3/webhooks/${webhook.id}`
      for (const [query, param] of [
        ["limit=1e400", "limit"],
        ["limit=ten", "limit"],
        ["offset=-1", "offset"],
        ["offset=10001", "offset"],
        ["before=abc", "before"],
        ["before=99999999999999999999", "before"],
        ["success=maybe", "success"],
        ["event_id=a%00b", "event_id"],
        ["page=2", "page"],
      ] as const) {
        const { status, json } = yield* askWith(key, `${path}/deliveries?${query}`)
        assert.deepStrictEqual([status, json.param], [400, param], json.error)
      }
      for (const since of [
        "yesterday",
        "2026-11-15",
        "2026-11-15T12:00:00",
        "2026-13-45T99:00:00Z",
        "",
        -1,
        1_794_700_800_000,
        null,
        true,
        [],
      ]) {
        const { status, json } = yield* send(key, "POST", `${path}/replay`, { since })
        assert.deepStrictEqual([status, json.field], [400, "since"], JSON.stringify(since))
      }
      const millis = yield* send(key, "POST", `${path}/replay`, { since: 1_794_700_800_000 })
      assert.match(millis.json.hint, /Divide milliseconds by 1000/)
      assert.strictEqual((yield* send(key, "POST", `${path}/replay`, '{"since":1e400}')).status, 400)
      assert.strictEqual((yield* send(key, "POST", `${path}/replay`, { since: 0, until: 5 })).json.field, "until")
      assert.strictEqual((yield* send(key, "POST", `${path}/replay`)).status, 400)
    }),
  )
})
