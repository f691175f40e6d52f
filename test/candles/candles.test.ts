import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Candle } from "#http/candles/shapes.ts"
import { readCandles } from "#src/candles/CandleStore.ts"
import { type CandleResolution, resolutionNames, resolutions } from "#src/candles/model.ts"
import { windowBetween } from "#src/candles/window.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { advanceRollups } from "#src/rollups/advance.ts"
import type { BarTier } from "#src/rollups/bars.ts"
import { count, nextRange, reset } from "#src/rollups/RollupStore.ts"
import { Dice } from "#src/simulator/random.ts"
import { askWith, keyOf } from "#test/http/support/keys.ts"
import { livedServer, livedWorld } from "#test/http/support/livedWorld.ts"
import { expectedTrades, type Trade } from "#test/rollups/support/expectedTrades.ts"
import { eventually } from "#test/support/eventually.ts"
import { allFacts } from "#test/webhooks/support/world/facts.ts"

// One test keeps candles waiting.
const server = livedServer(71, { "postgres.lock-timeout": "1m", "postgres.statement-timeout": "1m" })

const isSoak = process.env.PRESAGE_SOAK === "1"
type Shown = typeof Candle.Type

const priceOf = ({ usd, shares }: Trade) => {
  const price = (2_000_000n * usd + shares) / (2n * shares)
  return price > 1_000_000n ? 1_000_000n : price
}

/** Weeks begin on Monday, and 1970 did on a Thursday. */
const startOf = (at: number, seconds: number) => {
  const shift = seconds === resolutions["1w"] ? 259_200 : 0
  return Math.floor((at + shift) / seconds) * seconds - shift
}

const sum = (trades: ReadonlyArray<Trade>, read: (trade: Trade) => bigint) =>
  trades.reduce((all, trade) => all + read(trade), 0n)

const lineOf = (candle: Shown) =>
  [
    candle.time,
    candle.open,
    candle.high,
    candle.low,
    candle.close,
    candle.volume,
    candle.volume_shares,
    candle.volume_buy,
    candle.trades,
    candle.first_trade_ts,
    candle.last_trade_ts,
    candle.first_block,
    candle.last_log_index,
  ].join()

/** Candles by brute force, oldest first. */
const expectedCandles = (trades: ReadonlyArray<Trade>, seconds: number) =>
  [...Map.groupBy(trades, ({ at }) => startOf(at, seconds))]
    .toSorted(([a], [b]) => a - b)
    .map(([start, unsorted]) => {
      const sorted = unsorted.toSorted((a, b) => a.block - b.block || a.logIndex - b.logIndex)
      const prices = sorted.map((trade) => Number(priceOf(trade)) / 1e6)
      const [first, last] = [sorted[0], sorted.at(-1)]
      const line = [
        start,
        prices[0],
        Math.max(...prices),
        Math.min(...prices),
        prices.at(-1),
        exactAmount(sum(sorted, ({ usd }) => usd)),
        exactAmount(sum(sorted, ({ shares }) => shares)),
        exactAmount(sum(sorted, ({ isBuy, usd }) => (isBuy ? usd : 0n))),
        sorted.length,
        first?.at,
        last?.at,
        first?.block,
        last?.logIndex,
      ].join()
      return { start, line, close: prices.at(-1) }
    })

layer(server, { excludeTestServices: true })("Candles", (it) => {
  it.effect("are those of all trades, at any resolution and in any window", () =>
    Effect.gen(function* () {
      const simulation = yield* livedWorld(71)
      // Some blocks are counted, the newest are not.
      yield* advanceRollups
      const { fills } = yield* allFacts(simulation.head)
      const byToken = [...Map.groupBy(expectedTrades(fills), ({ token }) => token)].toSorted(
        ([, a], [, b]) => b.length - a.length,
      )
      const { key } = yield* keyOf("enterprise")
      const dice = new Dice(81)
      const now = Math.max(...fills.map(({ at }) => Math.floor(at.getTime() / 1000)))
      let compared = 0
      for (let round = 0; round < (isSoak ? 500 : 60); round++) {
        const [token, trades] = byToken[dice.between(0, Math.min(40, byToken.length - 1))] ?? assert.fail("no trades")
        const resolution = resolutionNames[dice.between(0, resolutionNames.length - 1)] as CandleResolution
        const seconds = resolutions[resolution]
        const anchor = dice.chance(0.4) ? now + 1 : (trades[dice.between(0, trades.length - 1)]?.at ?? 0)
        const limit = dice.between(1, 300)
        const isAfter = dice.chance(0.4)
        const [from, to] = isAfter
          ? [startOf(anchor, seconds), startOf(anchor, seconds) + limit * seconds]
          : [-Infinity, startOf(anchor - 1, seconds) + seconds].map((end, i) =>
              i === 0 ? startOf(anchor - 1, seconds) + seconds - limit * seconds : end,
            )
        const all = expectedCandles(trades, seconds)
        const inside = all.filter(({ start }) => start >= (from ?? 0) && start < (to ?? 0))
        const query = `resolution=${resolution}&limit=${limit}&anchor_ts=${anchor}${isAfter ? "&direction=after" : ""}`
        const { status, json, text } = yield* askWith(key, `/v3/markets/${token}/candles?${query}`)
        assert.strictEqual(status, 200, text)
        assert.deepStrictEqual(
          (json.candles as ReadonlyArray<Shown>).map(lineOf),
          inside.map(({ line }) => line),
          query,
        )
        compared += inside.length
        const older = all.findLast(({ start }) => start < (from ?? 0))
        const newer = all.find(({ start }) => start >= (to ?? 0))
        assert.deepStrictEqual(
          [json.pagination.older_end_ts, json.pagination.newer_start_ts],
          [older === undefined ? null : older.start + seconds, newer?.start ?? null],
          query,
        )

        const gapless = yield* askWith(key, `/v3/markets/${token}/candles?${query}&gap_fill=true&order=desc`)
        const filled: ReadonlyArray<Shown> = gapless.json.candles.toReversed()
        assert.deepStrictEqual(
          filled.filter(({ gap_filled }) => !gap_filled).map(lineOf),
          inside.map(({ line }) => line),
        )
        let close = older?.close
        for (const [i, candle] of filled.entries()) {
          assert.strictEqual(candle.time, (filled[0]?.time ?? 0) + i * seconds, "without a gap")
          if (candle.gap_filled) assert.deepStrictEqual([candle.open, candle.close, candle.trades], [close, close, 0])
          close = candle.close
        }
        const onchain = yield* askWith(key, `/v2/onchain/candles/${token}?${query}`)
        assert.deepStrictEqual(
          onchain.json.candles.map(({ time, close: last, volume }: Shown) => [time, last, volume]),
          (json.candles as ReadonlyArray<Shown>).map(({ time, close: last, volume }) => [time, last, volume]),
        )
      }
      assert.isAbove(compared, 100)
    }),
  )

  it.effect("are the same from the bars of busy days as from all trades, whichever blocks are counted", () =>
    Effect.gen(function* () {
      const { sql, tx } = yield* Postgres
      // Days of this world have few trades.
      const tiers = [
        { seconds: 300, dense: 8 },
        { seconds: 1_800, dense: 3 },
      ]
      const tokens = yield* sql<{ token: number; outcomes: ReadonlyArray<number>; first: number; last: number }>`
        select f.token, array(select o.id from token o where o.condition = t.condition) as outcomes, f.first, f.last
        from (select token, min(at) as first, max(at) as last from fill group by token order by count(*) desc limit 4) f
        join token t on t.id = f.token`
      const read = (some: ReadonlyArray<BarTier>) =>
        Effect.forEach(tokens, ({ first, last, ...source }) =>
          Effect.forEach([300, 900, 1_800, 14_400], (seconds) =>
            Effect.forEach([first, Math.floor((first + last) / 2)], (from) =>
              readCandles(sql, source, windowBetween(from, last, seconds), some),
            ),
          ),
        )
      const expected = yield* read([])
      assert.isAbove(expected.flat(3).length, 100)
      const countSome = tx(
        Effect.gen(function* () {
          const range = yield* nextRange(sql, 20, isSoak ? 300 : 1_500)
          if (range !== undefined) yield* count(sql, range, tiers)
          return range !== undefined
        }),
      )
      yield* tx(reset(sql))
      while (yield* countSome) assert.deepStrictEqual(yield* read(tiers), expected)
      const bars = yield* sql`select * from token_bar order by token, seconds, at`
      assert.isAbove(bars.length, 50)
      // The history may be read from its end to its beginning, in pieces that cut days into halves.
      yield* sql`truncate token_day, token_bar, token_supply`
      yield* sql`update rollup_progress set from_block = to_block + 1, fills = 0, trades = 0, usd = 0, redemptions = 0`
      yield* Effect.repeat(countSome, { while: (counted) => counted })
      assert.deepStrictEqual(yield* read(tiers), expected)
      assert.deepStrictEqual(yield* sql`select * from token_bar order by token, seconds, at`, bars)
    }),
  )

  it.effect("of a market have a series for each outcome", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { key } = yield* keyOf("enterprise")
      const [market] = yield* sql<{ slug: string; condition: string; block: number }>`
        select m.slug, '0x' || encode(c.hash, 'hex') as condition, max(f.block) as block
        from fill f join token t on t.id = f.token join condition c on c.id = t.condition join market m on m.condition = c.id
        group by m.slug, c.hash having count(distinct t.id) = 2 order by count(*) desc limit 1`
      const path = `/v3/markets/slug/${market?.slug}/candles?resolution=1d&limit=1000`
      const { json } = yield* askWith(key, path)
      assert.deepInclude(json, { series_count: 2, condition_id: market?.condition, resolution: "1d" })
      const tokens: ReadonlyArray<string> = json.series.map(({ token_id }: { token_id: string }) => token_id)
      // Of all outcomes together, an answer has 1,000 candles at most.
      assert.strictEqual(json.pagination.limit, 500)
      const tooMany = yield* askWith(key, `${path}&gap_fill=true&start=1700000000&end=1743286400`)
      assert.strictEqual(tooMany.status, 400)
      assert.include(tooMany.json.hint, "At most 500 candles")
      for (const [i, token] of tokens.entries()) {
        const alone = yield* askWith(key, `/v3/markets/${token}/candles?resolution=1d&limit=1000`)
        assert.deepStrictEqual(json.series[i].candles, alone.json.candles)
        assert.strictEqual(json.series[i].outcome_index, i)
      }
      const byCondition = yield* askWith(
        key,
        `/v3/markets/condition/${market?.condition}/candles?token_id=${tokens[1]}`,
      )
      assert.strictEqual(byCondition.json.series_count, 1)
      const csv = yield* askWith(key, `/v3/markets/${tokens[0]}/candles?resolution=1d&limit=1000`, {
        headers: { accept: "text/csv" },
      })
      assert.strictEqual(csv.text.trim().split("\r\n").length, json.series[0].count + 1)
      const atBlock = yield* askWith(key, `/v2/onchain/candles/${tokens[0]}?anchor_block=${market?.block}`)
      assert.strictEqual(atBlock.status, 200)
      const ofFirst = yield* askWith(key, `/v2/onchain/candles/${tokens[0]}?resolution=1d&anchor_ts=1794700800`)
      for (const name of [
        `token_id=${tokens[0]}`,
        `condition_id=${market?.condition}`,
        `market_slug=${encodeURIComponent(market?.slug ?? "")}`,
      ]) {
        const named = yield* askWith(key, `/v2/onchain/candles?${name}&resolution=1d&anchor_ts=1794700800`)
        assert.deepStrictEqual({ ...named.json, as_of: null }, { ...ofFirst.json, as_of: null }, name)
      }

      const [token] = tokens
      const refused = [
        [`/v3/markets/${token}/candles?resolution=2h`, 400, /1s.*1w/],
        [`/v3/markets/${token}/candles?start=5`, 400, /coarser resolution/],
        [`/v3/markets/${token}/candles?end=5`, 400, /needs `start`/],
        [`/v3/markets/${token}/candles?start=7200&end=3600`, 400, /after `start`/],
        [`/v3/markets/${token}/candles?start=1&end=2&anchor_ts=3`, 400, /cannot be combined/],
        [`/v3/markets/${token}/candles?anchor_ts=1794700800000`, 400, /milliseconds/],
        [`/v3/markets/${token}/candles?direction=up`, 400, /before.*after/],
        ["/v3/markets/12345/candles", 404, /no token/],
        ["/v3/markets/slug/nothing/candles", 404, /no market/],
        [`/v3/markets/slug/${market?.slug}/candles?token_id=12345`, 404, /no such `token_id`/],
        [`/v2/onchain/candles/${token}?anchor_block=1`, 404, /no block 1/],
        [`/v2/onchain/candles/${token}?anchor_block=1&anchor_ts=1794700800`, 400, /cannot be combined/],
        [`/v2/onchain/candles/${token}?anchor_tx=0x12`, 400, /64 hexadecimal digits/],
        ["/v2/onchain/candles", 400, /exactly one of/],
        [`/v2/onchain/candles?token_id=${token}&market_slug=x`, 400, /cannot be combined/],
        ["/v2/onchain/candles?market_slug=nothing", 404, /no market/],
      ] as const
      for (const [path, status, text] of refused) {
        const answer = yield* askWith(key, path)
        assert.strictEqual(answer.status, status, `${path}: ${answer.text}`)
        assert.match(answer.text, text)
      }
      const { key: free } = yield* keyOf("free")
      assert.strictEqual((yield* askWith(free, `/v3/markets/${token}/candles`)).status, 402)
      assert.strictEqual((yield* askWith(free, `/v2/onchain/candles/${token}`)).status, 200)
    }),
  )

  it.effect("that take long do not delay the answer about a token", () =>
    Effect.gen(function* () {
      const { exports, sql } = yield* Postgres
      const { key } = yield* keyOf("enterprise")
      const [token] = yield* sql<{
        hex: string
      }>`select encode(t.hash, 'hex') as hex from fill f join token t on t.id = f.token limit 1`
      const id = tokenOfHex(token?.hex ?? "")
      const asked = (path: string) => Effect.map(askWith(key, path), ({ status }) => status)
      const candles = Effect.all(
        Array.from({ length: 8 }, (_, i) => asked(`/v3/markets/${id}/candles?resolution=5m&limit=${100 + i}`)),
        { concurrency: "unbounded" },
      )
      const waiting = exports<{ n: number }>`
        select count(*)::int as n from pg_locks where not granted and relation = 'token_bar'::regclass`
      const inTurn = yield* exports.withTransaction(
        Effect.gen(function* () {
          yield* exports`lock table token_bar in access exclusive mode`
          const slow = yield* Effect.forkChild(candles)
          yield* eventually(
            "candles wait on every connection",
            Effect.map(waiting, ([row]) => (row?.n ?? 0) >= 4),
          )
          assert.strictEqual(yield* asked(`/v3/tokens/${id}`), 200)
          assert.isUndefined(slow.pollUnsafe())
          return slow
        }),
      )
      assert.deepStrictEqual(
        yield* Fiber.join(inTurn),
        Array.from({ length: 8 }, () => 200),
      )
    }),
  )
})
