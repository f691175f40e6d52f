import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { pause } from "#src/platform/embedded/waiting.ts"
import { eventually, sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"
import { figures, percentile } from "#test/support/processes/scale.ts"
import { fillMaker } from "./support/fills.ts"
import { isReady, startWorker } from "./support/frailWorkers.ts"
import { wallet } from "./support/handChain.ts"
import { deliveriesByStatus, hook, insecure, making, openAccount } from "./support/hooks.ts"
import { envelopeOf } from "./support/ledger.ts"
import { type Received, receiver } from "./support/receiver.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"
const plan = isSoak ? { endpoints: 99, seconds: 60, perSecond: 50 } : { endpoints: 9, seconds: 2, perSecond: 20 }
const { perSecond } = plan
const inFlight = 8
const within = 120_000
const services = making.pipe(Layer.provideMerge(sandbox([], [], { "event-log.retention": "3650d", ...insecure.flags })))

/** Time from writing deliveries until they were received, in milliseconds, ascending. */
const waitsOf = (received: ReadonlyArray<Received>) =>
  received.map((each) => each.at - Date.parse(envelopeOf(each).created_at)).toSorted((a, b) => a - b)

layer(services, { excludeTestServices: true })("An endpoint that never answers", (it) => {
  it.effect("does not delay the others and gets no more than its slots", () =>
    Effect.gen(function* () {
      const endpoints = yield* receiver(plan.endpoints + 1)
      const account = yield* openAccount()
      const worker = yield* startWorker("worker", {
        ...(yield* sandboxEnvironment),
        ...insecure.environment,
        WEBHOOKS_POLL_TRADE_EVERY: "500ms",
        WEBHOOKS_IN_FLIGHT: String(inFlight),
      })
      yield* isReady(worker)
      const chain = yield* fillMaker
      yield* Effect.forEach(Array.from({ length: plan.endpoints }), (_, place) =>
        hook(account, endpoints.url("/ok/good", place), ["trade"], { wallet_addresses: [wallet(place + 1)] }),
      )
      /** Trades at a steady pace, each for one of the good endpoints. */
      const run = Effect.gen(function* () {
        const before = endpoints.received("/ok/good").length
        for (let second = 0; second < plan.seconds; second++) {
          yield* chain.block(perSecond, plan.endpoints)
          yield* pause(1_000)
        }
        yield* chain.confirm
        const wanted = plan.seconds * perSecond
        yield* endpoints.until("all good endpoints have received theirs", within, () => {
          return endpoints.received("/ok/good").length >= before + wanted
        })
        return waitsOf(endpoints.received("/ok/good").slice(before))
      })

      const alone = yield* run
      // It matches all of them.
      const hole = "/never/hole"
      yield* hook(account, endpoints.url(hole, plan.endpoints))
      const beside = yield* run
      const held = endpoints.received(hole)
      const most = Math.max(...held.map((each) => each.inFlight))
      const [p50, p99] = [0.5, 0.99].map((share) =>
        [alone, beside].map((waits) => `${Math.round(percentile(waits, share))} ms`).join(" and "),
      )
      figures("a black hole among endpoints", {
        endpoints: plan.endpoints + 1,
        "deliveries without and with it": `${alone.length} and ${beside.length}`,
        "p50 without and with it": p50 ?? "",
        "p99 without and with it": p99 ?? "",
        "attempts at it": held.length,
        "at most at a time": most,
      })
      assert.isAtLeast(held.length, 1)
      assert.isAtMost(most, inFlight)
      if (isSoak) {
        const [without, withIt] = [percentile(alone, 0.99), percentile(beside, 0.99)]
        assert.isAtMost(withIt, Math.max(1_000, without * 1.5))
      }
      yield* eventually(
        "what it does not accept stays pending",
        within,
        Effect.map(deliveriesByStatus, ({ delivered = 0 }) => delivered === alone.length + beside.length),
      )
      assert.strictEqual((yield* deliveriesByStatus)["pending"], plan.seconds * perSecond)
    }),
  )
})
