import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { decimalAmount, exactAmount } from "#src/domain/amounts.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { checkRollups } from "#src/repair/verify/rollups.ts"
import { verifyOnly } from "#src/repair/verify.ts"
import { advanceRollups } from "#src/rollups/advance.ts"
import { count, nextRange, reset } from "#src/rollups/RollupStore.ts"
import { followedVenue } from "#test/catalogue/support/follower.ts"
import { askWith, keyOf } from "#test/http/support/keys.ts"
import { ledgerServer } from "#test/http/support/ledgerServer.ts"
import { followedHistory } from "#test/ledger/support/followedHistory.ts"
import { followLife } from "#test/ledger/support/following.ts"
import { allFacts } from "#test/webhooks/support/world/facts.ts"
import { expectedTrades, type Trade } from "./support/expectedTrades.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

const server = ledgerServer({}, followedHistory(71))

const usdOf = (trades: ReadonlyArray<Trade>) => trades.reduce((sum, { usd }) => sum + usd, 0n)

layer(server, { excludeTestServices: true })("Rollups", (it) => {
  it.effect("add up what the ledger has, through a reorganisation and in any order of blocks", () =>
    Effect.gen(function* () {
      const { sql, tx } = yield* Postgres
      const { key } = yield* keyOf("enterprise")
      assert.strictEqual((yield* askWith(key, "/v3/stats")).status, 503)

      const { url, simulation } = yield* followedVenue(71, { rate: isSoak ? 20 : 8 })
      yield* followLife(url, simulation, advanceRollups)
      yield* refreshLeaderboards
      yield* advanceRollups

      const { fills } = yield* allFacts(simulation.head)
      const trades = expectedTrades(fills)
      const byToken = Map.groupBy(trades, ({ token }) => token)
      assert.isAbove(byToken.size, 20)
      const shown = Effect.fnUntraced(function* (token: string) {
        const { json } = yield* askWith(key, `/v2/onchain/markets/${token}/volume`)
        return [json.found, json.total_trades, json.buys, json.sells, json.volume_usdc, json.buy_volume_usdc]
      })
      const expected = (token: string) => {
        const all = byToken.get(token) ?? []
        const buys = all.filter(({ isBuy }) => isBuy)
        const amounts = [exactAmount(usdOf(all)), exactAmount(usdOf(buys))]
        return [true, all.length, buys.length, all.length - buys.length, ...amounts]
      }
      const assertVolumes = Effect.forEach(
        [...byToken.keys()].slice(0, isSoak ? 80 : 25),
        (token) => Effect.map(shown(token), (row) => assert.deepStrictEqual(row, expected(token), token)),
        { concurrency: 4, discard: true },
      )
      yield* assertVolumes

      const held = yield* sql<{ condition: string; most: bigint; resolved: boolean }>`
        select '0x' || encode(c.hash, 'hex') as condition, max(shares)::int8 as most, bool_or(resolved) as resolved
        from (
          select t.condition, sum(p.shares) as shares, t.resolved_at is not null as resolved
          from token t join position p on p.token = t.id where t.condition is not null
          group by t.id, t.condition, t.resolved_at) sums
        join condition c on c.id = sums.condition group by c.hash`
      const open = held.filter(({ resolved, most }) => !resolved && most > 0n)
      assert.isAbove(open.length, 10)
      assert.isBelow(open.length, held.length)
      for (const { condition, most, resolved } of [
        ...open.slice(0, isSoak ? 40 : 12),
        ...held.slice(0, isSoak ? 40 : 12),
      ]) {
        const { json } = yield* askWith(key, `/v2/onchain/markets/${condition}/oi`)
        assert.deepStrictEqual(
          [json.found, json.open_interest_usdc],
          [true, resolved ? 0 : exactAmount(most)],
          condition,
        )
      }

      const { json: all } = yield* askWith(key, "/v2/onchain/oi")
      assert.strictEqual(all.open_interest_usdc, exactAmount(open.reduce((sum, { most }) => sum + most, 0n)))

      const [sums] = yield* sql<Record<"wallets" | "positions" | "realized" | "profit" | "redemptions", bigint>>`
        select count(distinct wallet) as wallets, count(*) as positions, sum(realized)::int8 as realized,
          sum(profit)::int8 as profit, (select count(*) from redemption) as redemptions
        from position`
      const { json: stats } = yield* askWith(key, "/v3/stats/")
      assert.deepInclude(stats, {
        total_fills: fills.length,
        total_trades: trades.length,
        total_volume: decimalAmount(usdOf(trades)),
        total_redemptions: Number(sums?.redemptions),
        total_wallets: Number(sums?.wallets),
        total_positions: String(sums?.positions),
        total_realized_pnl: decimalAmount(sums?.realized ?? 0n),
        total_gross_profit: decimalAmount(sums?.profit ?? 0n),
      })
      assert.strictEqual(stats.as_of.block_number, simulation.head)

      // The history may be read from its end to its beginning, in pieces that cut days into halves.
      const settled = yield* sql`select * from token_day order by token, day`
      const [progress] = yield* sql<{ from_block: number; to_block: number }>`select * from rollup_progress`
      yield* sql`truncate token_day, token_supply`
      yield* sql`update rollup_progress set from_block = to_block + 1, fills = 0, trades = 0, usd = 0, redemptions = 0`
      let steps = 0
      for (;;) {
        const range = yield* tx(
          Effect.tap(nextRange(sql, 20, 100), (next) => (next === undefined ? Effect.void : count(sql, next))),
        )
        if (range === undefined) break
        steps += 1
      }
      assert.isAbove(steps, 5)
      assert.deepStrictEqual(yield* sql`select from_block, to_block from rollup_progress`, [
        { from_block: progress?.from_block, to_block: progress?.to_block },
      ])
      assert.deepStrictEqual(yield* sql`select * from token_day order by token, day`, settled)
      yield* assertVolumes
      const { json: again } = yield* askWith(key, "/v3/stats")
      assert.strictEqual(again.total_volume, stats.total_volume)

      const failed = Effect.map(verifyOnly(checkRollups), (checks) =>
        checks.filter(({ ok }) => !ok).map(({ check }) => check),
      )
      assert.deepStrictEqual(yield* failed, [])
      const damages = [
        sql`update token_day set close = close - 1 where (token, day) = (select token, day from token_day limit 1)`,
        sql`delete from token_day where (token, day) = (select token, day from token_day limit 1)`,
        sql`
          insert into token_bar select d.shares, d.usd, d.buy_usd, d.first, d.last, d.token, d.day * 86400, d.trades, d.buys,
            d.open, d.high, d.low, d.close, 300 from token_day d limit 1`,
        sql`update token_supply set shares = shares + 1 where token = (select token from token_supply limit 1)`,
      ]
      for (const damage of damages) {
        yield* damage
        assert.deepStrictEqual(yield* failed, ["rollups"])
        yield* tx(reset(sql))
        yield* advanceRollups
      }
      assert.deepStrictEqual(yield* failed, [])
      assert.deepStrictEqual(yield* sql`select * from token_day order by token, day`, settled)
    }),
  )

  it.effect("answer for what the ledger never met, and refuse what is no id", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("free")
      const { json: volume } = yield* askWith(key, "/v2/onchain/markets/12345/volume")
      assert.deepInclude(volume, { found: false, total_trades: 0, volume_usdc: 0, market: null, source: "onchain" })
      const { json: oi } = yield* askWith(key, `/v2/onchain/markets/0x${"ab".repeat(32)}/oi`)
      assert.deepInclude(oi, { found: false, open_interest_usdc: 0 })
      assert.isAbove((yield* askWith(key, "/v2/onchain/oi")).json.open_interest_usdc, 0)
      assert.strictEqual((yield* askWith(key, "/v2/onchain/markets/12x/volume")).status, 400)
      assert.strictEqual((yield* askWith(key, "/v2/onchain/markets/0x12/oi")).status, 400)
      assert.strictEqual((yield* askWith(key, "/v3/stats")).status, 402)
    }),
  )
})
