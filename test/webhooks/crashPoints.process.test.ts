import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { WebhooksDeliver } from "#src/webhooks/contracts.ts"
import { eventually, sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"
import { figures } from "#test/support/processes/scale.ts"
import { faultProxy } from "./support/faultProxy.ts"
import { fillMaker } from "./support/fills.ts"
import { isReady, startWorker } from "./support/frailWorkers.ts"
import { deliveriesByStatus, hook, insecure, making, openAccount } from "./support/hooks.ts"
import { byDelivery, envelopeOf, ledgerOf } from "./support/ledger.ts"
import { receiver } from "./support/receiver.ts"

const within = 60_000
const killed = 137
const services = making.pipe(Layer.provideMerge(sandbox([], [], { "event-log.retention": "3650d", ...insecure.flags })))

layer(services, { excludeTestServices: true })("A killed webhook worker", (it) => {
  it.effect("loses nothing between any two steps of a delivery, and repeats only what was already sent", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const jobs = (yield* Jobs).queue(WebhooksDeliver)
      const endpoints = yield* receiver()
      const env = {
        ...(yield* sandboxEnvironment),
        ...insecure.environment,
        WEBHOOKS_POLL_TRADE_EVERY: "300ms",
        WEBHOOKS_DELIVER_LOCK: "4s",
        WEBHOOKS_DELIVER_STALL: "1s",
        SWEEP_EVERY: "1s",
      }
      const worker = (name: string, more: Readonly<Record<string, string>> = {}) =>
        startWorker(name, { ...env, ...more })
      const account = yield* openAccount()
      const path = "/ok/all"
      yield* hook(account, endpoints.url(path))
      const chain = yield* fillMaker
      const receivedOf = (trade: string) => endpoints.received().filter((each) => envelopeOf(each).data["id"] === trade)
      const makeOne = Effect.gen(function* () {
        yield* chain.block(1)
        yield* chain.confirm
        return chain.made.at(-1) ?? ""
      })
      const isReported = (trade: string, times: number) =>
        endpoints.until(`${trade} is reported`, within, () => receivedOf(trade).length >= times)

      // Written, but not enqueued.
      const poller = { WORKER_PARTS: "poll" }
      const first = yield* worker("dies before it asks", { ...poller, WORKER_CRASH: "before-enqueue" })
      yield* isReady(first)
      const unasked = yield* makeOne
      assert.strictEqual(yield* first.exit(within), killed)
      assert.deepStrictEqual(yield* deliveriesByStatus, { pending: 1 })
      assert.strictEqual(yield* Effect.promise(() => jobs.count()), 0)

      // Enqueued, but not made.
      const second = yield* worker("dies when it has asked", { ...poller, WORKER_CRASH: "after-enqueue" })
      const unsent = yield* makeOne
      assert.strictEqual(yield* second.exit(within), killed)
      assert.deepStrictEqual(yield* deliveriesByStatus, { pending: 2 })
      assert.strictEqual(yield* Effect.promise(() => jobs.count()), 1)
      assert.lengthOf(endpoints.received(), 0)

      const third = yield* worker("dies when it has sent")
      yield* isReported(unasked, 1)
      yield* isReported(unsent, 1)
      yield* eventually(
        "both are written down",
        within,
        Effect.map(deliveriesByStatus, ({ delivered }) => delivered === 2),
      )

      // Claimed, but lost on the way to one endpoint; received by the other, but not recorded.
      const way = yield* faultProxy(Number(new URL(endpoints.url(path)).port))
      yield* way.become("black-hole")
      const distant = "/ok/distant"
      yield* hook(account, `http://127.0.0.1:${way.port}${distant}`)
      yield* endpoints.become(path, "never")
      const unrecorded = yield* makeOne
      yield* isReported(unrecorded, 1)
      const claims = sql<{ count: number }>`
        select count(*)::int as count from webhook_delivery where status = 'pending' and claimed_until is not null`
      yield* eventually(
        "both are claimed",
        within,
        Effect.map(claims, ([row]) => row?.count === 2),
      )
      third.kill()
      const diedAt = performance.now()
      yield* third.exit(within)
      assert.lengthOf(receivedOf(unrecorded), 1)
      yield* endpoints.become(path, "ok")
      yield* way.become("pass")
      yield* worker("does what is left")
      yield* isReported(unrecorded, 3)
      yield* eventually(
        "all are written down",
        within,
        Effect.map(deliveriesByStatus, ({ delivered }) => delivered === 4),
      )
      const recovered = Math.round(performance.now() - diedAt)

      const received = endpoints.received()
      const times = [...byDelivery(received).values()].map((each) => each.length)
      assert.deepStrictEqual(times.toSorted(), [1, 1, 1, 2])
      assert.lengthOf(endpoints.received(distant), 1)
      const { distinct, duplicates, differing } = ledgerOf(received)
      figures("webhooks killed between steps", { deliveries: distinct, lost: 4 - distinct, duplicates, recovered })
      assert.deepStrictEqual({ distinct, duplicates, differing }, { distinct: 4, duplicates: 1, differing: [] })
      const attempts = yield* sql<{ attempt: number; success: boolean }>`select attempt, success from webhook_attempt`
      assert.deepStrictEqual(
        attempts.map(({ attempt, success }) => [attempt, success]),
        Array.from({ length: 4 }, () => [1, true]),
      )
    }),
  )
})
