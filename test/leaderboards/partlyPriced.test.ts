import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { allTime } from "#src/leaderboards/all-time/allTime.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { verifyLedger } from "#src/repair/verify.ts"
import { Dice } from "#src/simulator/random.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { seed } from "#test/support/processes/scale.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { assertAllTimeSums, assertNewestPrices } from "./support/allTimeSums.ts"
import { randomLedger } from "./support/randomLedger.ts"

const stores = ledger.pipe(
  Layer.provideMerge(
    testFoundation({
      "leaderboards.reprice": "1s",
      "leaderboards.reprice-time": "1ms",
      // A refresh that takes longer rebuilds the boards, and then all holders have one price.
      "postgres.statement-timeout": "1m",
    }),
  ),
)

const isSoak = process.env.PRESAGE_SOAK === "1"

/** Lists all conditions in one event with so many tags that a part of a thousand sums covers 17 holders. */
const list = Effect.gen(function* () {
  const { sql } = yield* Postgres
  yield* sql`
    insert into event (id, slug, title, tags, active, closed, archived, featured, neg_risk)
    select 1, 'event', 'Event', jsonb_agg('tag ' || n), true, false, false, false, false from generate_series(1, 60) n`
  yield* sql`
    insert into market (id, event, condition, tokens, slug, question, outcomes, prices, active, closed, archived,
      accepting_orders, neg_risk)
    select id, 1, id, '[]', 'market-' || id, 'Market ' || id, '["Yes", "No"]', '[300000, 700000]', true, false, false,
      true, false
    from condition`
})

/** Numbers of retracted positions that were valued at the next price of their token, and at the earlier one. */
const retractedPrices = Effect.flatMap(Postgres, ({ sql }) =>
  Effect.map(
    sql<{ next: number; earlier: number }>`
      select (count(*) filter (where n.wallet < p.below))::int as next,
        (count(*) filter (where n.wallet >= p.below))::int as earlier
      from leaderboard_retracted_position n join leaderboard_price p using (token) where p.below > 0`,
    ([counts]) => counts ?? { next: 0, earlier: 0 },
  ),
)

layer(stores, { excludeTestServices: true })("A token that is repriced for some of its holders", (it) => {
  it.effect("keeps each holder's counted price when the chain is reorganised", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const dice = new Dice(Number(seed) >>> 0)
      const made = yield* randomLedger(dice, Date.UTC(2026, 10, 15), 30)
      for (const condition of made.conditions) yield* made.appendFillsForAll(condition)
      yield* list
      assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
      for (let round = 0; round < (isSoak ? 60 : 8); round++) {
        const when = `seed ${seed}, round ${round}`
        const before = made.head()
        const condition = dice.pick(made.conditions)
        for (let block = dice.below(round + 1); block > 0; block--) yield* made.append(true)
        yield* made.appendFillsForAll(condition)
        yield* refreshLeaderboards
        if (round % 2 === 1) {
          yield* made.appendResolution(condition)
          if (dice.chance(0.5)) yield* refreshLeaderboards
        }
        yield* made.rollback(dice.between(1, made.head() - before))
        if (round === 0) assert.deepStrictEqual(yield* retractedPrices, { next: 17, earlier: 13 }, when)
        yield* made.append(true)
        assert.strictEqual(yield* refreshLeaderboards, "advanced", when)
        yield* assertAllTimeSums(when)
      }
      const boards = (yield* verifyLedger).find(({ check }) => check === "boards")
      assert.isTrue(boards?.ok, boards?.detail)
      assert.isTrue(yield* allTime.reprice?.(sql, Duration.minutes(1)) ?? Effect.succeed(false))
      yield* assertAllTimeSums("at the newest prices")
      assert.lengthOf(yield* sql`select from leaderboard_repriced`, 0)
      yield* assertNewestPrices("at the end")
    }),
  )
})
