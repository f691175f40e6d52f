import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { webhooksDeliver } from "#actors/webhooksDeliver.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { WebhooksDeliver } from "#src/webhooks/contracts.ts"
import { Webhooks } from "#src/webhooks/subscriptions/Webhooks.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { eventually } from "#test/support/eventually.ts"
import { figures } from "#test/support/processes/scale.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { addDeliveries } from "./support/delivering.ts"
import { deliveriesByStatus, hook, insecure, making, openAccount } from "./support/hooks.ts"
import { receiver } from "./support/receiver.ts"
import { isAlsoSignedBy, isSignedBy, isStandardSignedBy } from "./support/verifier.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"
const deliveries = isSoak ? 1_000 : 200
const rotations = 5
const day = 86_400_000

/** How far the senders' clock is moved. */
let later = 0
const realClock = Effect.runSync(Clock.Clock)
const clock = clockShowing(() => Date.now() + later, realClock)

const services = webhooksDeliver.pipe(
  Layer.provideMerge(making),
  Layer.provideMerge(testFoundation(insecure.flags)),
  Layer.provide(Layer.succeed(Clock.Clock, clock)),
)

layer(services, { excludeTestServices: true })("A rotated secret", (it) => {
  it.effect("is accompanied by the previous one for a day, even for attempts in flight, and never after", () =>
    Effect.gen(function* () {
      const endpoints = yield* receiver()
      const account = yield* openAccount()
      const webhooks = yield* Webhooks
      const jobs = yield* Jobs
      const { id, secret } = yield* hook(account, endpoints.url("/slow/5/rotated"))
      const secrets = [secret]
      /** The secrets of the main and the previous signature, from 0. */
      const signers = (each: Parameters<typeof isSignedBy>[0]) =>
        [isSignedBy, isAlsoSignedBy].map((isBy) => secrets.findIndex((one) => isBy(each, one)))
      const send = Effect.fnUntraced(function* (count: number) {
        const due = yield* addDeliveries(id, count, (yield* Clock.currentTimeMillis) - 1_000)
        yield* jobs.enqueueAll(
          WebhooksDeliver,
          due.map(({ delivery }) => ({ delivery, attempt: 1 })),
        )
      })
      const sending = yield* Effect.forkChild(
        Effect.repeat(send(deliveries / 20), Schedule.max([Schedule.spaced("20 millis"), Schedule.recurs(19)])),
      )
      for (let rotation = 1; rotation <= rotations; rotation++) {
        const wanted = (deliveries * rotation) / (rotations + 1)
        yield* endpoints.until("some more came", 60_000, (received) => received.length >= wanted)
        secrets.push(Redacted.value((yield* webhooks.rotate(account, id)).secret))
      }
      yield* Fiber.join(sending)
      yield* eventually(
        "all are delivered",
        Effect.map(deliveriesByStatus, ({ delivered = 0 }) => delivered === deliveries),
        "60 seconds",
      )
      const received = endpoints.received()
      assert.lengthOf(received, deliveries)
      const byWhom = received.map(signers)
      for (const [place, each] of received.entries()) {
        const [main = -1, other = -1] = byWhom[place] ?? []
        assert.isAtLeast(main, 0)
        assert.strictEqual(other, main - 1)
        assert.isTrue(isStandardSignedBy(each, secrets[main] ?? ""))
        if (main > 0) assert.isTrue(isStandardSignedBy(each, secrets[main - 1] ?? ""))
      }
      figures("secrets rotated", {
        deliveries,
        rotations,
        "signed by each": secrets.map((_, which) => byWhom.filter(([main]) => main === which).length).join(" "),
      })

      const newest = secrets.length - 1
      const sentAfter = Effect.fnUntraced(function* (millis: number) {
        const before = endpoints.received().length
        later = millis
        yield* send(3)
        yield* endpoints.until("three more came", 60_000, (all) => all.length === before + 3)
        return endpoints.received().slice(before)
      })
      for (const each of yield* sentAfter(day - 60_000)) assert.deepStrictEqual(signers(each), [newest, newest - 1])
      for (const each of yield* sentAfter(day)) {
        assert.deepStrictEqual(signers(each), [newest, -1])
        assert.isFalse(isStandardSignedBy(each, secrets[newest - 1] ?? ""))
      }
    }),
  )
})
