import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Option } from "effect"
import { dropOldFacts } from "#src/history/retention/dropOldFacts.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { openPriceSql } from "#src/ledger/positions/price.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { fillGaps } from "#src/repair/fillGaps.ts"
import { rebuildPositions } from "#src/repair/rebuild.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import * as FirstTradeStore from "#src/webhooks/polling/firstTrade/FirstTradeStore.ts"
import { caughtUp, ledger, nodeAt } from "#test/ledger/support/following.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { assertSound, coverage, startHistory, startPausable } from "./support/reading.ts"

/** The venue's history begins in October and ends in November. */
const genesis = Date.UTC(2026, 10, 1, 6)
const november = Date.UTC(2026, 10, 1)
const retained = 31

const runAt = <A, E, R>(now: number, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Clock.Clock, (real) =>
    Effect.provideService(
      work,
      Clock.Clock,
      clockShowing(() => now, real),
    ),
  )

const dropAt = (now: number) =>
  Effect.gen(function* () {
    return yield* runAt(now, dropOldFacts(yield* (yield* Leases).seize("history")))
  })

const positions = Effect.gen(function* () {
  const { sql } = yield* Postgres
  return yield* sql<{ row: string }>`select p::text as row from position p order by p.wallet, p.token`
})

const isSoak = process.env.PRESAGE_SOAK === "1"

const counts = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ fills: number; old: number; splits: number; blocks: number }>`
    select count(*)::int as fills, (count(*) filter (where at < ${november / 1000}))::int as old,
      (select count(*)::int from split where at < ${new Date(november)}) as splits,
      (select count(*)::int from block b where at < ${new Date(november)}
        and not exists (select from resolution r where r.block = b.number)
        and not exists (select from maker_payment r where r.block = b.number)) as blocks
    from fill`
  return row ?? assert.fail("no answer")
})

/** Prices of the boards that are not those of the ledger. */
const outdatedPrices = Effect.gen(function* () {
  const { sql } = yield* Postgres
  return yield* sql`
    select t.id from leaderboard_price p join token t on t.id = p.token
    where p.price is distinct from ${sql.literal(openPriceSql("t"))}`
})

layer(Layer.provideMerge(ledger, testFoundation({ "ledger.retention": `${retained}d` })), {
  excludeTestServices: true,
})("a ledger with a retention", (it) => {
  it.effect("drops whole months of facts, keeps their effect, and goes on", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(93, { genesis, clock: () => genesis, rate: 4 })
      simulation.settle()
      yield* Effect.gen(function* () {
        const { sql } = yield* Postgres
        const following = yield* startPausable
        yield* caughtUp(simulation, following)
        const [before, all] = [yield* positions, yield* counts]
        assert.isAbove(all.old, 100)
        assert.isAbove(all.fills, all.old)

        // October ends 31 days before the 2nd of December.
        assert.isTrue(Option.isNone(yield* dropAt(Date.UTC(2026, 11, 1, 23))))
        assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
        const cut = Option.getOrThrow(yield* dropAt(Date.UTC(2026, 11, 2)))
        yield* refreshLeaderboards
        assert.deepStrictEqual(yield* outdatedPrices, [])
        assert.isAtLeast(cut.at, november)
        assert.deepInclude(yield* counts, { fills: all.fills - all.old, old: 0, splits: 0, blocks: 0 })
        assert.deepStrictEqual(yield* positions, before)
        const { facts, positions: counted } = yield* coverage
        assert.strictEqual(facts.block, cut.number)
        assert.isFalse(facts.isComplete)
        assert.strictEqual(counted.block, firstBlock)
        assert.isTrue(counted.isComplete)
        assert.isTrue(Option.isNone(yield* dropAt(Date.UTC(2026, 11, 2))), "nothing is left to drop")
        yield* assertSound

        const refused = yield* Effect.flip(fillGaps({ from: cut.number - 1, to: cut.number }))
        assert.include(refused.message, `facts before block ${cut.number} were dropped`)
        const [old] = yield* sql<{ wallet: number }>`
          select b.wallet from position_base b join fill f on f.maker = b.wallet where b.traded_at is not null limit 1`
        assert.deepStrictEqual(yield* FirstTradeStore.find(sql, [old?.wallet ?? assert.fail()]), [])

        // The reader of history does not read again what was dropped.
        yield* startHistory
        simulation.advance(isSoak ? 60_000 : 16_000)
        simulation.reorg(5)
        simulation.advance(isSoak ? 20_000 : 10_000)
        simulation.settle()
        yield* caughtUp(simulation, following)
        yield* assertSound
        assert.strictEqual((yield* coverage).facts.block, cut.number)
        const now = yield* positions
        yield* sql`update position set realized = realized + 1 where wallet % 3 = 0`
        yield* rebuildPositions()
        assert.deepStrictEqual(yield* positions, now)
      }).pipe(Effect.provide(nodeAt(url)))
    }),
  )
})
