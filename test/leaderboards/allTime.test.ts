import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { allTime } from "#src/leaderboards/all-time/allTime.ts"
import { sorts } from "#src/leaderboards/BoardQuery.ts"
import { boardStore } from "#src/leaderboards/BoardStore.ts"
import { buildBoards, refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { checkBoards } from "#src/repair/verify/boards.ts"
import { verifyOnly } from "#src/repair/verify.ts"
import { Dice } from "#src/simulator/random.ts"
import { followedHistory } from "#test/ledger/support/followedHistory.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { seed } from "#test/support/processes/scale.ts"
import { type TestDatabase, testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { assertAllTimeSums, assertNewestPrices } from "./support/allTimeSums.ts"
import { randomLedger } from "./support/randomLedger.ts"

const stores = (database?: TestDatabase) =>
  ledger.pipe(Layer.provideMerge(testFoundation({ "ledger.reorg-depth": "30" }, [], database)))

const isSoak = process.env.PRESAGE_SOAK === "1"
const genesis = 1_794_700_800_000

/** Lists every third known condition, starting with one of the first three. */
const list = Effect.fnUntraced(function* (first: number) {
  const { sql } = yield* Postgres
  yield* sql`
    insert into event (id, slug, title, category, tags, active, closed, archived, featured, neg_risk)
    select id, 'event-' || id, 'Event ' || id, case when id % 4 > 0 then 'category ' || id % 4 end,
      jsonb_build_array('tag ' || id % 5, 'tag ' || id % 7), true, false, false, false, false
    from condition where id % 3 = ${first} on conflict do nothing`
  yield* sql`
    insert into market (id, event, condition, tokens, slug, question, outcomes, prices, active, closed, archived,
      accepting_orders, neg_risk)
    select id, id, id, '[]', 'market-' || id, 'Market ' || id, '["Yes", "No"]', '[300000, 700000]', true, false, false,
      true, false
    from condition where id % 3 = ${first} on conflict do nothing`
})

const retag = Effect.fnUntraced(function* (dice: Dice) {
  const { sql } = yield* Postgres
  yield* sql`
    update event set tags = jsonb_build_array('tag ' || ${dice.below(7)}::int), category = ${`category ${dice.below(4)}`}
    where id % 3 = ${dice.below(3)}`
})

for (const worldSeed of isSoak ? Array.from({ length: 10 }, (_, i) => 71 + i) : [71]) {
  layer(stores(followedHistory(worldSeed)), { excludeTestServices: true })(
    `All-time boards in world ${worldSeed}`,
    (it) => {
      it.effect("equal the sums of positions, whatever the chain and the catalogue do between two refreshes", () =>
        Effect.gen(function* () {
          const dice = new Dice(worldSeed)
          const { url, simulation } = yield* runningVenue(worldSeed, { rate: isSoak ? 20 : 6 })
          simulation.settle()
          yield* Effect.gen(function* () {
            const following = yield* startFollower
            yield* caughtUp(simulation, following)
            yield* list(0)
            assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
            yield* assertAllTimeSums("after the first build")
            yield* assertNewestPrices("after the first build")
            const { sql } = yield* Postgres
            let retracted = 0
            for (let round = 0; round < (isSoak ? 20 : 3); round++) {
              if (round === 1 || round === 2) yield* list(round)
              if (round > 2) yield* retag(dice)
              simulation.advance(dice.between(4_000, 16_000))
              yield* caughtUp(simulation, following)
              if (round % 2 === 1) {
                yield* refreshLeaderboards
                simulation.reorg(dice.between(5, 15))
                simulation.advance(dice.between(1_000, 8_000))
                yield* caughtUp(simulation, following)
                const notes = yield* sql`select 1 from leaderboard_retracted_position`
                retracted += notes.length
              }
              assert.strictEqual(yield* refreshLeaderboards, "advanced")
              yield* assertAllTimeSums(`after round ${round}`)
              yield* assertNewestPrices(`after round ${round}`)
            }
            simulation.settle()
            yield* caughtUp(simulation, following)
            yield* refreshLeaderboards
            yield* assertAllTimeSums("at the end")
            assert.isAbove(retracted, 0, "no counted position was retracted")
          }).pipe(Effect.provide(nodeAt(url)))
        }),
      )
    },
  )
}

layer(stores(), { excludeTestServices: true })("All-time boards over a random chain", (it) => {
  it.effect("equal the sums of positions after any sequence of blocks, reorganisations and catalogue changes", () =>
    Effect.gen(function* () {
      const dice = new Dice(Number(seed) >>> 0)
      const { append, rollback, settleBefore, head } = yield* randomLedger(dice, genesis)
      yield* append(false)
      let firstUndoable = head() + 1
      const boards = Effect.map(verifyOnly(checkBoards), (checks) => checks.find(({ check }) => check === "boards"))
      const rollbackSome = Effect.suspend(() => rollback(dice.between(1, Math.min(6, head() - firstUndoable + 1))))
      const done: Record<string, number> = {}
      // With some seeds, few refreshes advance.
      for (let step = 0; step < (isSoak ? 3_000 : 40) || (done["advanced"] ?? 0) < 3; step++) {
        const when = `seed ${seed}, step ${step}`
        const roll = dice.below(20)
        if (roll < 9) yield* append(true)
        else if (roll < 11 && head() >= firstUndoable) yield* rollbackSome
        else if (roll === 11 && head() >= firstUndoable) {
          yield* Effect.all([refreshLeaderboards, rollbackSome], { concurrency: 2, discard: true })
        } else if (roll === 12 && dice.chance(0.3)) {
          yield* append(false)
          firstUndoable = head() + 1
        } else if (roll === 13) {
          const settled = head() - dice.between(2, 8)
          yield* settleBefore(settled)
          firstUndoable = Math.max(firstUndoable, settled + 1)
        } else if (roll === 14) yield* list(dice.below(3))
        else if (roll === 15) yield* retag(dice)
        else if (roll > 15) {
          assert.isTrue((yield* boards)?.ok, when)
          const how = yield* refreshLeaderboards
          done[how] = (done[how] ?? 0) + 1
          yield* assertAllTimeSums(when)
          yield* assertNewestPrices(when)
        }
      }
      yield* refreshLeaderboards
      const { sql } = yield* Postgres
      // With some seeds nobody has realized anything lately.
      const rolling = sql`select 1 from leaderboard_rolling limit 1`
      while ((yield* rolling).length === 0) {
        yield* append(true)
        yield* refreshLeaderboards
      }
      for (const table of ["rolling", "standing"]) {
        assert.match((yield* boards)?.detail ?? "", /rows match the ledger/, `seed ${seed}`)
        const damaged = sql(`leaderboard_${table}`)
        yield* sql`update ${damaged} set profit = profit + 1 where wallet = (select min(wallet) from ${damaged})`
        assert.isFalse((yield* boards)?.ok, table)
        yield* sql`update ${damaged} set profit = profit - 1 where wallet = (select min(wallet) from ${damaged})`
      }
      assert.match((yield* boards)?.detail ?? "", /, up to date with the ledger$/)
      yield* append(true)
      assert.match((yield* boards)?.detail ?? "", /, 1 blocks and [\dms ]+ behind the ledger$/)
      yield* sql`update leaderboard_state set refreshed_at = updated_at - interval '7 hours' from chain_cursor`
      const halted = yield* boards
      assert.isFalse(halted?.ok)
      assert.match(halted?.detail ?? "", /^not refreshed for 7h.*, 1 blocks and .* behind the ledger$/)
    }),
  )
})

layer(stores(), { excludeTestServices: true })("Tokens with many holders", (it) => {
  it.effect("are worth the newest price to all holders on every board at once", () =>
    Effect.gen(function* () {
      const postgres = yield* Postgres
      const { sql } = postgres
      const now = { block: 1, at: new Date(genesis) }
      yield* sql`insert into condition (hash) values ('a'), ('b')`
      yield* sql`insert into token (hash, condition, outcome) values ('a', 1, 0), ('b', 1, 1), ('c', 2, 0)`
      yield* sql`insert into wallet (address) select decode(lpad(to_hex(n), 40, '0'), 'hex') from generate_series(1, 1000) n`
      yield* list(1)
      yield* list(2)
      yield* sql`
        insert into position (wallet, token, shares, cost, realized, bought, sold, redeemed, changed_at)
        select wallet, token, wallet * 1000, wallet, 1, 0, 0, false, now()
        from generate_series(1, 1000) wallet, generate_series(1, 3) token`
      yield* sql.withTransaction(buildBoards(sql, now))
      yield* sql`insert into leaderboard_state (block, at, version) values (1, ${now.at}, 1)`
      yield* sql`update market set prices = '[310000, 690000]'`
      yield* sql.withTransaction(allTime.advance(sql, now, { block: 2, at: now.at }))
      const worth = (wallet: number) => 310 * wallet + 690 * wallet + 310 * wallet - 3 * wallet
      for (const sort of sorts) {
        const board = yield* boardStore(postgres).board(
          { kind: "everything" },
          { period: "all", sort, withPartial: false },
          10_000,
        )
        assert.strictEqual(board?.rows.length, 1_000)
        for (const { wallet, unrealized } of board?.rows.slice(0, 1_000) ?? [])
          assert.strictEqual(unrealized, worth(Number(wallet)), `${sort} ${wallet}`)
      }
      const tagged = yield* boardStore(postgres).board(
        { kind: "tag", value: "tag 2" },
        { period: "all", sort: "total", withPartial: false },
        10,
      )
      assert.deepStrictEqual(
        tagged?.rows.slice(0, 1).map(({ unrealized }) => unrealized),
        [310_000 - 1_000],
      )
    }),
  )
})
