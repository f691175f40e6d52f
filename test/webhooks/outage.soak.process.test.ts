import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pause } from "#src/platform/embedded/waiting.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { figures } from "#test/support/processes/scale.ts"
import { fillMaker } from "./support/fills.ts"
import { frailWorkers } from "./support/frailWorkers.ts"
import { deliveriesByStatus, hook, openAccount } from "./support/hooks.ts"
import { envelopeOf, ledgerOf } from "./support/ledger.ts"
import { receiver } from "./support/receiver.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"
const plan = isSoak ? { fills: 1_000, restarts: 5, awayMillis: 2_000 } : { fills: 40, restarts: 1, awayMillis: 300 }
const inFlight = 8
const within = 90_000
const path = "/slow/0/one"

describe("Webhooks", () => {
  it.live(
    "go on where they were when Postgres was away or a worker was frozen, whose late result changes nothing",
    () =>
      Effect.gen(function* () {
        const endpoints = yield* receiver()
        const { services, workers, postgres } = yield* frailWorkers(2, {
          WEBHOOKS_POLL_TRADE_EVERY: "300ms",
          WEBHOOKS_DELIVER_CONCURRENCY: String(inFlight),
          WEBHOOKS_DELIVER_LOCK: "4s",
          WEBHOOKS_DELIVER_STALL: "1s",
          SWEEP_EVERY: "1s",
        })
        yield* Effect.gen(function* () {
          const { sql } = yield* Postgres
          yield* hook(yield* openAccount(), endpoints.url(path))
          const chain = yield* fillMaker
          const areDelivered = (count: number) =>
            eventually(
              `${count} are delivered`,
              within,
              Effect.map(deliveriesByStatus, ({ delivered = 0 }) => delivered === count).pipe(
                Effect.catch(() => Effect.succeed(false)),
              ),
            )

          yield* endpoints.become(path, "slow", 100)
          for (let restart = 0; restart < plan.restarts; restart++) {
            const before = endpoints.received().length
            yield* chain.block(plan.fills / plan.restarts)
            yield* chain.confirm
            yield* endpoints.until("some are under way", within, (received) => received.length > before + inFlight)
            yield* postgres.kill
            yield* pause(plan.awayMillis)
            yield* postgres.start
          }
          const tookMillis = yield* areDelivered(plan.fills)
          const { distinct, duplicates, differing } = ledgerOf(endpoints.received())
          figures("webhooks without Postgres for a while", {
            deliveries: distinct,
            lost: plan.fills - distinct,
            duplicates,
            restarts: plan.restarts,
            "complete after": `${tookMillis} ms`,
          })
          assert.strictEqual(distinct, plan.fills)
          assert.deepStrictEqual(differing, [])
          assert.isAtMost(duplicates, plan.restarts * workers.length * inFlight)

          // One is frozen with a request in flight; the other does its work.
          const [one, other] = workers
          if (one === undefined || other === undefined) return assert.fail("no workers")
          const receivedOf = (trade: string) =>
            endpoints.received().filter((each) => envelopeOf(each).data["id"] === trade)
          const makeOne = Effect.gen(function* () {
            yield* chain.block(1)
            yield* chain.confirm
            return chain.made.at(-1) ?? ""
          })
          other.freeze()
          yield* endpoints.become(path, "never")
          const trade = yield* makeOne
          yield* endpoints.until("it is sent", within, () => receivedOf(trade).length === 1)
          one.freeze()
          yield* endpoints.become(path, "ok")
          other.thaw()
          const takenOver = yield* areDelivered(plan.fills + 1)
          other.freeze()
          one.thaw()
          // Later writes come after its late result.
          yield* makeOne
          yield* areDelivered(plan.fills + 2)
          assert.lengthOf(receivedOf(trade), 2)
          const attempts = yield* sql<{ attempt: number; success: boolean }>`
          select a.attempt, a.success from webhook_attempt a join webhook_delivery d on d.id = a.delivery
          where convert_from(d.body, 'UTF8')::jsonb -> 'data' ->> 'id' = ${trade}`
          assert.deepStrictEqual(
            attempts.map(({ attempt, success }) => [attempt, success]),
            [[1, true]],
          )
          figures("a frozen worker of webhooks", { "taken over after": `${takenOver} ms` })
        }).pipe(Effect.provide(services))
      }),
  )
})
