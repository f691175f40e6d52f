import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { copyPnl } from "#actors/copyPnl.ts"
import { tradesExport } from "#actors/tradesExport.ts"
import { ApiServer } from "#http/Server.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { refreshMarketStats } from "#src/market-stats/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { askWith, keyOf } from "#test/http/support/keys.ts"
import { serving } from "#test/http/support/serving.ts"
import { historyRead } from "#test/support/historyRead.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { addressOf, busyLedger, markets } from "./support/busyLedger.ts"
import { type PlanMode, workOf } from "./support/planWork.ts"
import { recordStatements } from "./support/recordStatements.ts"

const { recorded, layer: recording } = recordStatements()

const server = Layer.mergeAll(ApiServer, copyPnl, tradesExport).pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(testFoundation({ port: "0", host: "127.0.0.1", "leaderboards.look": "0ms" })),
  Layer.provideMerge(recording),
)

const hour = 3_600_000
const quiet = 2
const busy = 1

/** Every list that reads the ledger or the catalogue, for a wallet. */
const pathsOf = (wallet: number, now: Date) => {
  const address = addressOf(wallet)
  const seconds = Math.floor(now.getTime() / 1000)
  const window = `from=${seconds - 60 * 86_400}&to=${seconds}`
  const condition = `0x${markets.toString(16).padStart(64, "0")}`
  return [
    `/v2/wallets/${address}/positions/onchain`,
    `/v2/wallets/${address}/positions/onchain?tag_slug=rare`,
    `/v2/wallets/${address}/positions/onchain?tag_slug=all&status=open`,
    `/v2/wallets/${address}/positions/onchain?market_slug=market-7`,
    `/v2/wallets/${address}/positions/onchain?status=redeemable&offset=5`,
    `/v2/wallets/${address}/positions/onchain?status=closed&order=asc`,
    `/v2/wallets/${address}/closed-positions?title=${wallet === busy ? "it" : "77"}`,
    ...["REALIZEDPNL", "AVGPRICE", "PRICE", "TITLE", "TIMESTAMP"].map(
      (sort) => `/v2/wallets/${address}/closed-positions?sortBy=${sort}`,
    ),
    `/v2/onchain/positions?wallet=${address}&tag_slug=all&status=open`,
    `/v2/onchain/positions?tag_slug=rare`,
    `/v2/onchain/positions?condition_id=${condition}&status=redeemable`,
    `/v2/copy-pnl/${address}?${window}&include_trades=true`,
    `/v2/onchain/wallets/${address}/trades/all?${window}`,
    `/v3/leaderboard?tags=${wallet === busy ? "all" : "rare"}`,
    `/v3/leaderboard?period=7d&category=Sports`,
    `/v3/leaderboard?event_slug=event-${wallet}`,
    `/v3/leaderboard?period=30d&market_slug=market-${wallet}`,
    `/v3/leaderboard/scopes?period=30d&scope=tag`,
    `/v2/onchain/tags?details=true`,
    `/v1/crypto/markets`,
    `/v1/crypto/ticks?symbol=BTC&from=${(seconds - 3600) * 1000}&to=${seconds * 1000}`,
    `/v1/crypto/series`,
    `/v1/events?limit=5`,
    `/v1/status`,
  ]
}

/** Lists and answers that look up a few rows by their ids, whatever the filter. */
const lookupsOf = (market: number, tag: string) => {
  const condition = `0x${market.toString(16).padStart(64, "0")}`
  const token = 2 * market
  return [
    ...["1m", "1h", "1d"].map((resolution) => `/v3/markets/${token}/candles?resolution=${resolution}&limit=300`),
    `/v3/markets/condition/${condition}/candles?resolution=4h&gap_fill=true`,
    `/v3/markets/slug/market-${market}/candles?resolution=1w`,
    `/v3/tokens/${token}`,
    `/v3/markets/condition/${condition}`,
    `/v3/markets?tag=${tag}`,
    `/v3/events?tag=${tag}`,
    `/v3/tags/${tag}`,
  ]
}

layer(server, { excludeTestServices: true })("Plans of prepared statements", (it) => {
  it.effect("no statement costs more after it ran five times than when it was planned for its parameters", () =>
    Effect.gen(function* () {
      const { sql, reads, exports } = yield* Postgres
      const now = new Date(Date.now() - hour)
      yield* busyLedger(now)
      assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
      const { key } = yield* keyOf("enterprise")
      recorded.clear()
      for (const wallet of [quiet, busy]) {
        for (const path of pathsOf(wallet, now)) {
          const { status, text } = yield* askWith(key, path)
          assert.strictEqual(status, 200, `${path}: ${text}`)
        }
      }
      const modes = new Set<PlanMode>()
      for (const pool of [sql, reads, exports]) {
        const [row] = yield* pool<{ mode: PlanMode }>`select current_setting('plan_cache_mode') as mode`
        modes.add(row?.mode ?? "auto")
      }
      assert.strictEqual(modes.size, 1)
      const [mode = "auto"] = modes
      const statements = [...recorded.values()].filter(({ text }) =>
        /^\s*(with|select|insert|update|delete)\b/i.test(text),
      )
      assert.isAbove(statements.length, 30)
      let worst = 0
      for (const { text, runs } of statements) {
        const some = [...runs.slice(0, 1), ...runs.slice(1).slice(-2)]
        const best = yield* workOf(sql, text, some, "force_custom_plan")
        const average = yield* workOf(sql, text, some, "force_generic_plan")
        const ours = mode === "force_custom_plan" ? best : yield* workOf(sql, text, some, mode)
        for (const [i, work] of best.entries()) {
          worst = Math.max(worst, (average[i] ?? 0) / (work + 1_000))
          assert.isAtMost(ours[i] ?? 0, 2 * work + 1_000, text)
        }
      }
      // This ledger is large enough to tell a bad plan: one would fail the check above.
      assert.isAbove(worst, 2)
    }),
  )

  it.effect("statements that are planned once cost no more than when they are planned for their parameters", () =>
    Effect.gen(function* () {
      const { sql, lookups, planned } = yield* Postgres
      for (const pool of [lookups, planned]) {
        const [row] = yield* pool<{ mode: PlanMode }>`select current_setting('plan_cache_mode') as mode`
        assert.strictEqual(row?.mode, "force_generic_plan")
      }
      yield* historyRead
      assert.isTrue(yield* refreshMarketStats)
      const { key } = yield* keyOf("enterprise")
      recorded.clear()
      for (const [market, tag] of [
        [2, "all"],
        [50, "rare"],
      ] as const) {
        for (const path of lookupsOf(market, tag)) {
          const { status, text } = yield* askWith(key, path)
          assert.strictEqual(status, 200, `${path}: ${text}`)
        }
      }
      const statements = [...recorded.values()].filter(({ text }) => /^\s*(with|select)\b/i.test(text))
      assert.isAbove(statements.length, 10)
      for (const { text, runs } of statements) {
        const some = [...runs.slice(0, 1), ...runs.slice(1).slice(-2)]
        const best = yield* workOf(sql, text, some, "force_custom_plan")
        const once = yield* workOf(sql, text, some, "force_generic_plan")
        for (const [i, work] of best.entries()) assert.isAtMost(once[i] ?? 0, 2 * work + 1_000, text)
      }
    }),
  )
})
