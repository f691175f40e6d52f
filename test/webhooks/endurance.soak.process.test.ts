import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Jobs } from "#src/mesh/Jobs.ts"
import { pause } from "#src/platform/embedded/waiting.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Dice } from "#src/simulator/random.ts"
import { WebhooksDeliver } from "#src/webhooks/contracts.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { figures, percentile, seed } from "#test/support/processes/scale.ts"
import { fillMaker } from "./support/fills.ts"
import { frailWorkers, isReady } from "./support/frailWorkers.ts"
import { deliveriesByStatus, hook, openAccount } from "./support/hooks.ts"
import { byDelivery, envelopeOf, ledgerOf } from "./support/ledger.ts"
import { type Received, receiver } from "./support/receiver.ts"
import { headerOf, isSignedBy, isStandardSignedBy } from "./support/verifier.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"
const plan = isSoak
  ? { fills: 10_000, burst: 100, blockOf: 50, kills: 20, restarts: 3, pauseMillis: 1_500 }
  : { fills: 140, burst: 60, blockOf: 10, kills: 2, restarts: 1, pauseMillis: 150 }
/** Fills in one burst, whose jobs Redis loses. */
const { burst } = plan
/** How long an endpoint takes, and how long while a burst accumulates. */
const [usual, tardy] = [20, 300]
const inFlight = 8
const recoveryWithin = isSoak ? 300_000 : 60_000
/** On a shared machine it may take longer; no test waits for less. */
const sweptWithin = isSoak ? 10_000 : 20_000

type Misfortune = "kill" | "restart"

const misfortunes = (dice: Dice): ReadonlyArray<Misfortune> => {
  const many = (what: Misfortune, count: number) => Array.from({ length: count }, () => what)
  return [...many("kill", plan.kills), ...many("restart", plan.restarts)]
    .map((what) => ({ what, at: dice.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ what }) => what)
}

/** Time from writing a delivery until it was first received, ascending. */
const waitsOf = (received: ReadonlyArray<Received>) =>
  [...byDelivery(received).values()]
    .flatMap(([first]) => (first === undefined ? [] : [first.at - Date.parse(envelopeOf(first).created_at)]))
    .toSorted((a, b) => a - b)

describe("Webhooks", () => {
  it.live("lose nothing while workers are killed and Redis loses data or restarts, and repeat little", () =>
    Effect.gen(function* () {
      figures("webhooks through kills", { seed })
      const dice = new Dice(Number(seed) >>> 0)
      const endpoints = yield* receiver()
      const { services, processes, workers, kill, redis } = yield* frailWorkers(2, {
        WEBHOOKS_POLL_TRADE_EVERY: isSoak ? "3s" : "300ms",
        // As many as may be in flight to one host: at most that many are sent but not recorded.
        WEBHOOKS_DELIVER_CONCURRENCY: String(inFlight),
        WEBHOOKS_IN_FLIGHT: String(inFlight),
        WEBHOOKS_DEADLINE: "1s",
      })

      yield* Effect.gen(function* () {
        const { sql } = yield* Postgres
        const account = yield* openAccount()
        const paths = ["/slow/0/one", "/slow/0/two", "/slow/0/three"]
        const hooks = yield* Effect.forEach(paths, (path) => hook(account, endpoints.url(path)))
        const answerAfter = (millis: number) =>
          Effect.forEach(paths, (path) => endpoints.become(path, "slow", millis), { discard: true })
        const chain = yield* fillMaker

        // Many jobs are queued when Redis loses all of them.
        yield* answerAfter(tardy)
        yield* chain.block(burst)
        yield* chain.confirm
        const deliver = (yield* Jobs).queue(WebhooksDeliver)
        const pending = Effect.map(
          sql<{ count: number }>`select count(*)::int as count from webhook_delivery where status = 'pending'`,
          ([row]) => row?.count ?? 0,
        )
        const carried = Effect.promise(() => deliver.getJobCountByTypes("waiting", "active", "delayed", "prioritized"))
        yield* endpoints.until("a burst is on its way", recoveryWithin, (received) => received.length > inFlight)
        yield* Effect.flatMap(Redis, (client) => client.run((commands) => commands.flushall()))
        const forgotten = yield* pending
        assert.isAbove(forgotten, burst)
        const sweptAfter = yield* eventually(
          "what was on its way goes on",
          sweptWithin,
          Effect.map(Effect.zip(pending, carried), ([due, known]) => known >= due),
        )
        yield* answerAfter(usual)

        const all = misfortunes(dice)
        const blocks = (plan.fills - burst) / plan.blockOf
        let [kills, mined] = [0, 0]
        for (const [place, what] of all.entries()) {
          for (; mined < (blocks * (place + 1)) / (all.length + 1); mined++) {
            yield* chain.block(plan.blockOf)
            yield* pause(dice.between(0, plan.pauseMillis))
          }
          if (what === "kill") yield* kill(kills++ % workers.length)
          else yield* Effect.all([redis.kill, pause(dice.between(0, 1_000)), redis.start], { discard: true })
        }
        for (; mined < blocks; mined++) yield* chain.block(plan.blockOf)
        yield* Effect.forEach(workers, isReady)
        yield* chain.confirm
        assert.lengthOf(chain.made, plan.fills)
        const expected = plan.fills * hooks.length
        const tookMillis = yield* eventually(
          `${expected} are delivered`,
          recoveryWithin,
          Effect.map(deliveriesByStatus, ({ delivered = 0 }) => delivered === expected),
        )

        const received = endpoints.received()
        const wrong = received.filter(
          (each) =>
            !hooks.some(
              ({ id, secret }) =>
                headerOf(each, "x-webhook-id") === id && isSignedBy(each, secret) && isStandardSignedBy(each, secret),
            ),
        )
        const { distinct, duplicates, differing } = ledgerOf(received)
        const waits = waitsOf(received)
        figures("webhooks through kills", {
          events: chain.made.length,
          received: received.length,
          lost: expected - distinct,
          duplicates,
          kills,
          processes: processes.length,
          "on its way again after FLUSHALL": `${sweptAfter} ms`,
          "wait p50": `${Math.round(percentile(waits, 0.5))} ms`,
          "wait max": `${Math.round(waits.at(-1) ?? 0)} ms`,
          "complete after the last": `${tookMillis} ms`,
        })
        for (const { id } of hooks) {
          const reported = received.filter((each) => headerOf(each, "x-webhook-id") === id)
          const trades = new Set(reported.map((each) => String(envelopeOf(each).data["id"])))
          assert.deepStrictEqual([...trades].toSorted(), chain.made.toSorted(), `seed ${seed}`)
        }
        assert.strictEqual(distinct, expected, `seed ${seed}`)
        assert.deepStrictEqual(differing, [], `seed ${seed}`)
        assert.lengthOf(wrong, 0, `seed ${seed}`)
        assert.isAtMost(duplicates, kills * inFlight, `seed ${seed}`)
        assert.deepStrictEqual(yield* deliveriesByStatus, { delivered: expected })
        const most = Math.max(...received.map((each) => each.inFlight))
        assert.isAtMost(most, inFlight * (workers.length + kills), `seed ${seed}`)
      }).pipe(Effect.provide(services))
    }),
  )
})
