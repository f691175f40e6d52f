import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { verifyLedger } from "#src/repair/verify.ts"
import { Dice } from "#src/simulator/random.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { seed } from "#test/support/processes/scale.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "./support/following.ts"
import { assertEqualsTruth } from "./support/truth.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

class Venue extends Context.Service<Venue, Effect.Success<ReturnType<typeof runningVenue>>>()("test/ledger/Venue") {}

/** The tests of a world share its venue and its ledger. */
const world = (venueSeed: number) =>
  Layer.merge(ledger, Layer.effect(Venue, runningVenue(venueSeed, isSoak ? { scale: "tiny" } : { rate: 4 }))).pipe(
    Layer.provideMerge(testFoundation({ "event-log.retention": "3650d" })),
  )

interface PublishedFact {
  readonly seq: bigint
  readonly fact: string
}

/** The facts that a subscriber has after all events and retractions. */
const folded = Effect.gen(function* () {
  const log = yield* EventLog
  const known = new Map<bigint, PublishedFact>()
  for (let after = 0n; ; ) {
    const page = yield* log.read({ after, limit: 5_000 })
    if (page.length === 0) return [...known.values()]
    for (const { seq, kind, ref, sub, data } of page) {
      if (kind === "reorg") {
        const { retracted } = data as { readonly retracted: ReadonlyArray<number> }
        for (const gone of retracted) {
          assert.isTrue(known.delete(BigInt(gone)), `event ${gone} was retracted twice`)
        }
      } else {
        const { sub: index = 0 } = (data ?? {}) as { readonly sub?: number }
        known.set(seq, { seq, fact: `${kind} ${ref} ${sub} ${index}` })
      }
      after = seq
    }
  }
})

for (const worldSeed of isSoak ? [31, 32, 33, 34, 35] : [31]) {
  layer(world(worldSeed), { excludeTestServices: true })(`followChain in world ${worldSeed}`, (it) => {
    it.effect("reads the whole history, follows new blocks and equals the venue's books", () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* Venue
        simulation.settle()
        yield* Effect.gen(function* () {
          const following = yield* startFollower
          yield* caughtUp(simulation, following)
          yield* assertEqualsTruth(simulation)
          simulation.advance(isSoak ? 120_000 : 40_000)
          simulation.settle()
          yield* caughtUp(simulation, following)
          yield* assertEqualsTruth(simulation)
          for (const { check, ok, detail } of yield* verifyLedger) assert.isTrue(ok, `${check}: ${detail}`)
          const { sql } = yield* Postgres
          const damage = (difference: number) =>
            sql`update position set cost = cost + ${difference} where (wallet, token) in (
              select wallet, token from position order by wallet, token limit 1)`
          yield* damage(1)
          const failed = (yield* verifyLedger).filter(({ ok }) => !ok).map(({ check }) => check)
          assert.deepStrictEqual(failed, ["positions"])
          yield* damage(-1)
        }).pipe(Effect.provide(nodeAt(url)))
      }),
    )

    it.effect("follows reorganisations across restarts and publishes every fact once", () =>
      Effect.gen(function* () {
        const dice = new Dice(Number(seed) >>> 0)
        const { url, simulation } = yield* Venue
        simulation.settle()
        yield* Effect.gen(function* () {
          let following = yield* startFollower
          yield* caughtUp(simulation, following)
          let reorgs = 0
          for (let round = 0; round < (isSoak ? 100 : 12); round++) {
            simulation.advance(dice.between(500, 12_000))
            if (round % 4 === 3 || dice.chance(0.4)) {
              simulation.reorg(dice.between(1, 20))
              reorgs += 1
            }
            if (dice.chance(0.25)) {
              yield* Fiber.interrupt(following)
              following = yield* startFollower
            }
            if (dice.chance(0.4)) yield* caughtUp(simulation, following)
          }
          assert.isAbove(reorgs, 2)
          simulation.settle()
          yield* caughtUp(simulation, following)
          yield* assertEqualsTruth(simulation)

          const published = (yield* folded).map(({ fact }) => fact)
          assert.strictEqual(new Set(published).size, published.length, `seed ${seed}: a fact was published twice`)
          const { facts } = simulation.model.world
          let fills = 0
          for (let act = 0; act < facts.length; act++) fills += facts.fillCount.get(act)
          assert.strictEqual(published.filter((fact) => fact.startsWith("fill ")).length, fills, `seed ${seed}`)
          assert.isTrue(facts.block.get(facts.length - 1) + firstBlock <= simulation.head)
        }).pipe(Effect.provide(nodeAt(url)))
      }),
    )
  })
}
