import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { countStep } from "#src/market-stats/CountStore.ts"
import { recountStep, resetMarketCounts } from "#src/market-stats/RecountStore.ts"
import { refreshMarketStats } from "#src/market-stats/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { checkMarketStats } from "#src/repair/verify/marketStats.ts"
import { verifyOnly } from "#src/repair/verify.ts"

import { livedServer, livedWorld } from "#test/http/support/livedWorld.ts"

const depth = 20

layer(livedServer(71), { excludeTestServices: true })("Counts of markets", (it) => {
  it.effect("are the same in any order of blocks and steps, after a pause and a repair, and are verified", () =>
    Effect.gen(function* () {
      yield* livedWorld(71)
      const { sql, tx } = yield* Postgres
      yield* refreshMarketStats
      const counts = Effect.map(
        Effect.all([
          sql`select * from market_count where usd_all <> 0 or traders_all <> 0 order by scope`,
          sql`select * from market_trader order by scope, wallet`,
          sql`select * from market_count_progress`,
        ]),
        ([totals, traders, progress]) => ({ totals, traders, progress }),
      )
      const failed = Effect.map(verifyOnly(checkMarketStats), (checks) =>
        checks.filter(({ ok }) => !ok).map(({ check }) => check),
      )
      const expected = yield* counts
      assert.isAbove(expected.totals.filter(({ scope }) => (scope as number) < 0).length, 20)
      assert.deepStrictEqual(yield* failed, [])

      const stepped = (fills: number) =>
        Effect.gen(function* () {
          let steps = 0
          while (yield* tx(countStep(sql, depth, fills))) steps += 1
          while (yield* tx(recountStep(sql, depth))) steps += 1
          return steps
        })
      const assertSame = Effect.map(counts, (found) => assert.deepStrictEqual(found, expected))

      // Forwards in small steps, so that every window moves many times.
      yield* tx(resetMarketCounts(sql))
      assert.isAbove(yield* stepped(150), 5)
      yield* assertSame

      // From the end to the beginning, as history is read behind the head: windows grow.
      yield* tx(resetMarketCounts(sql))
      const [{ settled = 0 } = {}] = yield* sql<{
        settled: number
      }>`select block - ${depth}::int as settled from chain_cursor`
      const start = settled + 1
      yield* sql`
        insert into market_count_progress (from_block, to_block, starts)
        values (${start}, ${settled}, array[${start}::int, ${start}::int, ${start}::int, ${start}::int])`
      assert.isAbove(yield* stepped(150), 5)
      yield* assertSame

      // Far behind the chain only sums of all times are counted.
      const [{ head = 0 } = {}] = yield* sql<{ head: number }>`select head from chain_cursor`
      yield* tx(resetMarketCounts(sql))
      yield* sql`update chain_cursor set head = head + 1000000`
      yield* stepped(400)
      const [paused] = yield* sql`
        select sum(usd_30d)::int8 as windows, sum(usd_all)::int8 > 0 as counted, count(*) filter (where scope < 0) as events
        from market_count`
      assert.deepInclude(paused, { windows: 0n, counted: true, events: 0n })
      assert.deepStrictEqual(yield* failed, [])
      yield* sql`update chain_cursor set head = ${head}`
      yield* stepped(400)
      yield* assertSame

      // A token whose condition is learnt late.
      const [token] = yield* sql<{ id: number; condition: number; outcome: number }>`
        select id, condition, outcome from token
        where condition = (select scope from market_count where scope > 0 order by trades_all desc limit 1) and outcome = 0`
      yield* sql`update token set condition = null, outcome = null where id = ${token?.id ?? 0}`
      yield* stepped(400)
      assert.notDeepEqual((yield* counts).totals, expected.totals)
      yield* sql`update token set condition = ${token?.condition ?? 0}, outcome = ${token?.outcome ?? 0} where id = ${token?.id ?? 0}`
      yield* stepped(400)
      yield* assertSame

      const damages = [
        sql`update market_count set usd_1h = usd_1h + 1 where scope = (select min(scope) from market_count)`,
        sql`delete from market_trader where (scope, wallet) = (select scope, wallet from market_trader limit 1)`,
      ]
      for (const damage of damages) {
        yield* damage
        assert.deepStrictEqual(yield* failed, ["market-stats"])
        yield* tx(resetMarketCounts(sql))
        yield* stepped(5_000)
        assert.deepStrictEqual(yield* failed, [])
      }
      yield* assertSame

      // What lists show: wrong, missing, and of nothing.
      yield* refreshMarketStats
      assert.deepStrictEqual(yield* failed, [])
      const [{ calm = 0 } = {}] = yield* sql<{ calm: number }>`
        select min(scope) as calm from market_figure where scope > 0 and scope not in (select scope from market_stale)`
      for (const damage of [
        sql`update market_figure set usd_all = usd_all + 1 where scope = ${calm}`,
        sql`update market_figure set status = 1 - status % 2 where scope = ${calm}`,
        sql`update market_figure set price_change_24h = coalesce(price_change_24h, 0) + 5 where scope = ${calm}`,
        sql`delete from market_figure where scope = ${calm}`,
      ]) {
        yield* damage
        assert.deepStrictEqual(yield* failed, ["market-stats"])
        yield* sql`insert into market_stale values (${calm})`
        // It is to be written again.
        assert.deepStrictEqual(yield* failed, [])
        yield* refreshMarketStats
        assert.deepStrictEqual(yield* failed, [])
      }
    }),
  )
})
