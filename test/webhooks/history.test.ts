import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Deliveries } from "#src/webhooks/delivery/Deliveries.ts"
import type { HistoryOptions } from "#src/webhooks/delivery/HistoryStore.ts"
import type { WebhookId } from "#src/webhooks/model.ts"
import { figures, percentile } from "#test/support/processes/scale.ts"
import { makeWebhook, testDelivery } from "./support/delivering.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"
const attempts = isSoak ? 1_000_000 : 8_000
const most = 50
const services = Deliveries.layer.pipe(Layer.provideMerge(testDelivery()))

/** Deliveries with five attempts each; every fourth succeeds with the last one. Half belong to one webhook. */
const fillHistory = Effect.fnUntraced(function* (one: WebhookId, other: WebhookId) {
  const { sql } = yield* Postgres
  // In chunks that fit the statement timeout.
  const part = 4_000
  for (let done = 0; done < attempts / 5; done += part) {
    yield* sql`
      with d as (
        insert into webhook_delivery (webhook, event_id, event_type, body, status, attempt, created_at)
        select case when n % 2 = 0 then ${one} else ${other} end, gen_random_uuid(), 'trade', '{}'::bytea,
          case when n % 4 = 0 then 'delivered' else 'failed' end, 5, now() - interval '6 days' + n * interval '1 second'
        from generate_series(${done + 1}::int, ${done + part}::int) n
        returning id, webhook, event_id, event_type, status, created_at
      )
      insert into webhook_attempt (webhook, delivery, event_id, event_type, attempt, success, status_code, latency_ms,
        error_class, error, response, at)
      select d.webhook, d.id, 'evt_' || d.event_id, d.event_type, a, s.ok, case when s.ok then 200 else 503 end, a * 7,
        case when s.ok then null else 'status' end, case when s.ok then null else 'the endpoint answered 503' end, 'said',
        d.created_at + a * interval '1 minute'
      from d, generate_series(1, 5) a, lateral (select a = 5 and d.status = 'delivered' as ok) s order by d.id, a`
  }
  yield* sql`analyze webhook_delivery`
  yield* sql`analyze webhook_attempt`
})

layer(services, { excludeTestServices: true })("Delivery history", (it) => {
  it.effect("pages through a long history at constant cost and contains every attempt", () =>
    Effect.gen(function* () {
      const { history } = yield* Deliveries
      const { id } = yield* makeWebhook({ url: "http://127.0.0.1:9/" })
      const { id: other } = yield* makeWebhook({ url: "http://127.0.0.1:9/" })
      yield* fillHistory(id, other)
      const times: Array<number> = []
      const page = Effect.fnUntraced(function* (options: Partial<HistoryOptions>) {
        const since = performance.now()
        const rows = yield* history(id, { limit: 200, offset: 0, ...options })
        times.push(performance.now() - since)
        for (const { attempt, statusCode, latencyMs, success, error, status, sequence } of rows) {
          assert.strictEqual(latencyMs, attempt * 7)
          assert.deepStrictEqual([statusCode, error === null], success ? [200, true] : [503, false])
          assert.include(["delivered", "failed"], status)
          assert.isNotNull(sequence)
        }
        return rows
      })

      // From newest to oldest, each once.
      const own = attempts / 2
      const pages = Math.min(own / 200, 100)
      const seen = new Set<bigint>()
      let before: bigint | undefined
      for (let turn = 0; turn < pages; turn++) {
        const rows = yield* page({ before })
        assert.lengthOf(rows, 200)
        for (const { id: attempt } of rows) {
          assert.isTrue(before === undefined || attempt < before)
          before = attempt
          seen.add(attempt)
        }
      }
      assert.strictEqual(seen.size, pages * 200)
      // A page at a large offset, the failures, the successes, and one event.
      const [oldest] = yield* page({ limit: 1, offset: Math.min(own, 10_000) - 1 })
      const eventId = oldest?.eventId
      for (let turn = 0; turn < 20; turn++) {
        assert.lengthOf(yield* page({ success: false, offset: turn * 50 }), 200)
        assert.isTrue((yield* page({ success: true, offset: turn * 50 })).every(({ success }) => success))
        assert.isTrue((yield* page({ eventId })).every((row) => row.eventId === eventId))
      }
      const rising = times.toSorted((a, b) => a - b)
      const p95 = percentile(rising, 0.95)
      figures("history of deliveries", {
        attempts,
        pages: times.length,
        p50: `${percentile(rising, 0.5).toFixed(1)} ms`,
        p95: `${p95.toFixed(1)} ms`,
        slowest: `${rising.at(-1)?.toFixed(1)} ms`,
      })
      if (isSoak) assert.isAtMost(p95, most)
    }),
  )
})
