import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Metric, Result } from "effect"
import { pendingSettlements } from "#actors/pendingSettlements.ts"
import { clusterRunner } from "#src/mesh/Cluster.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Stores } from "#src/roles/Stores.ts"
import { followPending } from "#src/settlements/follow.ts"
import { Settlements } from "#src/settlements/Settlements.ts"
import { transactionOf } from "#src/simulator/chain/rpc/transactions.ts"
import { Dice } from "#src/simulator/random.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { TxKind } from "#src/simulator/world/Facts.ts"
import { readPending } from "#src/upstream/chain/pendingMatch.ts"
import { followedHistory } from "#test/ledger/support/followedHistory.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { eventually } from "#test/support/eventually.ts"
import { seed } from "#test/support/processes/scale.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { fault, noFaults } from "#test/upstream/chain/nodes.ts"
import { fillsOf, ordersSeen, published, settlements, statuses } from "./support/stored.ts"

const isSoak = process.env["PRESAGE_SOAK"] === "1"

class Venue extends Context.Service<Venue, Effect.Success<ReturnType<typeof runningVenue>>>()(
  "test/settlements/Venue",
) {}

const worldSeed = 71

/** However the dice fall, there are some reorganisations and each follower is restarted. */
const { rounds, reorgEvery } = isSoak ? { rounds: 100, reorgEvery: 4 } : { rounds: 6, reorgEvery: 2 }

/** The tests share a venue and its ledger. */
const world = Layer.mergeAll(
  Settlements.layer,
  Layer.effect(Venue, runningVenue(worldSeed, isSoak ? {} : { rate: 6 })),
).pipe(
  Layer.provideMerge(ledger),
  Layer.provideMerge(testFoundation({ "event-log.retention": "3650d" }, [], followedHistory(worldSeed))),
)

/** Starts like a process that takes over. */
const startListening = Effect.gen(function* () {
  const leases = yield* Leases
  return yield* Effect.forkScoped(followPending(yield* leases.seize("pending-settlements")))
})

/** Transactions of the matches since a transaction that the mempool shows in full. */
const matchesSince = ({ model, logs, chain }: Simulation, tx: number): ReadonlyArray<string> => {
  const { facts } = model.world
  return Array.from({ length: facts.length - tx }, (_, i) => tx + i)
    .filter((each) => facts.kind.get(each) === TxKind.match && logs.exchangeOf(each).generation > 1)
    .map((each) => chain.transactionHash(each).slice(2))
}

/** Advances time until a new match is stored. */
const nextMatch = (simulation: Simulation, what: string) =>
  Effect.gen(function* () {
    const { length } = yield* settlements
    const isStored = Effect.suspend(() => {
      simulation.advance(500)
      return Effect.map(settlements, (all) => all.length > length)
    })
    yield* eventually(what, isStored)
  })

/** All settlements are confirmed, with the block and the orders of the ledger. */
const assertAllConfirmed = Effect.gen(function* () {
  const all = yield* settlements
  const orders = yield* ordersSeen
  const fills = yield* fillsOf(all.map(({ tx }) => tx))
  const events = yield* published
  assert.strictEqual(events.size, all.length)
  for (const { id, tx, status, block } of all) {
    const changes = events.get(id) ?? []
    const context = `seed ${seed}, ${tx}: ${JSON.stringify(changes)}`
    assert.strictEqual(status, "confirmed", context)
    assert.deepStrictEqual({ block, orders: orders.get(tx) }, fills.get(tx), context)
    assert.strictEqual(changes.at(-1)?.block, block, context)
    // After the first event, confirmed and pending alternate.
    assert.isTrue(
      changes.every((each, i) => each.status === (i % 2 === 0 ? "pending" : "confirmed")),
      context,
    )
  }
  return all
})

const counted = (id: string, attributes: Record<string, string> = {}) =>
  Effect.map(Metric.snapshot, (all) =>
    all.reduce((sum, metric) => {
      const isIt =
        metric.id === id && Object.entries(attributes).every(([name, value]) => metric.attributes?.[name] === value)
      return isIt && metric.type === "Counter" ? sum + Number(metric.state.count) : sum
    }, 0),
  )

layer(world, { excludeTestServices: true })("followPending", (it) => {
  it.effect("stores and publishes each match; its block confirms it with the same orders", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* Venue
      simulation.settle()
      yield* Effect.gen(function* () {
        const first = yield* startFollower
        yield* caughtUp(simulation, first)
        yield* Fiber.interrupt(first)

        const runner = Layer.unwrap(Effect.map(Stores, ({ databaseUrl }) => clusterRunner(databaseUrl)))
        yield* Layer.build(Layer.provide(pendingSettlements, runner))
        yield* nextMatch(simulation, "the first match")
        const before = simulation.model.world.facts.length
        const seenBefore = yield* counted("presage_settlements_seen_total")
        const confirmedBefore = yield* counted("presage_settlements_confirmed_total")
        simulation.advance(30_000)
        simulation.settle()
        const expected = matchesSince(simulation, before)
        assert.isAbove(expected.length, 20)
        const written = Effect.map(settlements, (all) => {
          const txs = new Set(all.map(({ tx }) => tx))
          return expected.every((tx) => txs.has(tx))
        })
        yield* eventually("all matches are written", written)
        const pending = yield* settlements
        assert.isTrue(pending.every(({ status }) => status === "pending"))
        assert.strictEqual(yield* (yield* Settlements).pending, pending.length)

        const second = yield* startFollower
        yield* caughtUp(simulation, second)
        const all = yield* assertAllConfirmed
        assert.strictEqual(all.length, pending.length)
        assert.strictEqual(yield* counted("presage_settlements_confirmed_total"), confirmedBefore + all.length)
        assert.isAtLeast((yield* counted("presage_settlements_seen_total")) - seenBefore, expected.length)
      }).pipe(Effect.provide(nodeAt(url)))
    }),
  )

  it.effect(
    "stays correct across lost connections, malformed messages, reorganisations and restarts of both followers",
    () =>
      Effect.gen(function* () {
        const dice = new Dice(Number(seed) >>> 0)
        const { url, simulation } = yield* Venue
        simulation.settle()
        yield* Effect.gen(function* () {
          let following = yield* startFollower
          let listening = yield* startListening
          yield* caughtUp(simulation, following)
          yield* nextMatch(simulation, "the first match")
          const unreadable = counted("presage_upstream_undecodable_total", { what: "pending" })
          const before = yield* unreadable
          let reorgs = 0
          for (let round = 0; round < rounds; round++) {
            if (dice.chance(0.5)) {
              const kind = ["duplicate", "disconnect", "wrong_types", "truncated", "garbage", "reorder"][dice.below(6)]
              yield* fault(url, { upstream: "rpc", channel: "socket", kind, share: kind === "disconnect" ? 0.02 : 0.3 })
            } else yield* noFaults(url)
            for (let step = dice.between(1, 12); step > 0; step--) simulation.advance(dice.between(100, 1_000))
            if (round % reorgEvery === reorgEvery - 1 || dice.chance(0.2)) {
              simulation.reorg(dice.between(1, 8))
              reorgs += 1
            }
            if (round === 2 || dice.chance(0.2)) {
              yield* Fiber.interrupt(following)
              following = yield* startFollower
            }
            if (round === 4 || dice.chance(0.2)) {
              yield* Fiber.interrupt(listening)
              listening = yield* startListening
            }
            if (dice.chance(0.5)) yield* caughtUp(simulation, following)
          }
          assert.isAbove(reorgs, 2, `seed ${seed}`)
          yield* noFaults(url)
          yield* fault(url, { upstream: "rpc", channel: "socket", kind: "wrong_types", share: 0.5 })
          yield* eventually(
            "a message is unreadable",
            Effect.suspend(() => {
              simulation.advance(500)
              return Effect.map(unreadable, (count) => count > before)
            }),
          )
          yield* noFaults(url)
          yield* nextMatch(simulation, "matches after all")
          simulation.settle()
          yield* caughtUp(simulation, following)
          assert.isAbove((yield* assertAllConfirmed).length, 20)
        }).pipe(Effect.provide(nodeAt(url)))
      }),
  )

  it.effect("drops a match that never gets a block once, and no others", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* Venue
      simulation.settle()
      yield* Effect.gen(function* () {
        const following = yield* startFollower
        yield* caughtUp(simulation, following)
        const earlier = new Set((yield* settlements).map(({ id }) => id))
        yield* startListening
        yield* nextMatch(simulation, "the first match")
        const { facts } = simulation.model.world
        const tx = Array.from({ length: facts.length }, (_, i) => facts.length - 1 - i).find(
          (each) => facts.kind.get(each) === TxKind.match && simulation.logs.exchangeOf(each).generation > 1,
        )
        const match = Result.getOrThrow(readPending(transactionOf(simulation, tx ?? -1)))
        assert.isDefined(match)
        const phantom = { ...match, tx: "f".repeat(64) }
        const store = yield* Settlements
        const leases = yield* Leases
        const other = yield* leases.seize("another-mempool")
        assert.strictEqual(yield* store.write(other, [{ match: phantom, at: simulation.now() }]), 1)
        const phantoms = Effect.map(settlements, (all) => all.find(({ tx }) => tx === phantom.tx))
        simulation.advance(4_000)
        yield* caughtUp(simulation, following)
        yield* eventually(
          "the ledger has passed it",
          Effect.map(phantoms, (found) => found?.waits === true),
        )
        simulation.advance(125_000)
        simulation.settle()
        yield* caughtUp(simulation, following)
        yield* eventually(
          "it is dropped",
          Effect.map(phantoms, (found) => found?.status === "dropped"),
        )
        const events = yield* published
        for (const { id, tx, status } of yield* settlements) {
          if (earlier.has(id)) continue
          const isPhantom = tx === phantom.tx
          assert.strictEqual(status, isPhantom ? "dropped" : "confirmed", tx)
          assert.deepStrictEqual(statuses(events.get(id)), ["pending", isPhantom ? "dropped" : "confirmed"])
        }
      }).pipe(Effect.provide(nodeAt(url)))
    }),
  )
})
