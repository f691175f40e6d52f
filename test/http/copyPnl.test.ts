import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { addressOf, mostFollowed, type StoredScore } from "#src/copy-pnl/model.ts"
import * as ScoreStore from "#src/copy-pnl/ScoreStore.ts"
import { usdc } from "#src/domain/amounts.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { apiServer } from "./support/server.ts"
import { send as sendJson } from "./support/webhooks.ts"

const path = "/v2/copy-pnl"
const pool = `${path}/wallets`
const noAddresses = 'Body must include "addresses" — array of valid 0x… wallet addresses.'
const noPeriod = "Invalid period. Allowed: 7d, 14d, 30d, 60d, 90d, 180d"
const sortings = "backtest_copy_pnl_usdc, actual_pnl_usdc, slippage_amount_usdc, slippage_cost_rate_pct, trade_count"

/** Node sends no content-length with DELETE. */
const send = (key: string, method: string, to: string, body: unknown) => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return sendJson(key, method, to, text, { "content-length": String(Buffer.byteLength(text)) })
}

const numbered = (n: number) => `0x${n.toString(16).padStart(40, "0")}`
const addressAt = (n: number) => addressOf(numbered(n)) ?? assert.fail()
const many = (count: number, from = 1) => Array.from({ length: count }, (_, i) => numbered(from + i))

const usd = 1_000_000n
const at = new Date("2026-11-15T00:00:00Z")
const seconds = at.getTime() / 1000

const score = (actual: bigint, backtest: bigint, trades: number, days = 30): StoredScore => ({
  days,
  actual: usdc(actual),
  backtest: usdc(backtest),
  trades,
  partial: false,
  computedAt: at,
})

layer(apiServer, { excludeTestServices: true })("Copy-pnl over REST", (it) => {
  it.effect("each account has its own pool, with case-insensitive and distinct wallets", () =>
    Effect.gen(function* () {
      const [{ key }, other] = [yield* keyOf("starter"), yield* keyOf("enterprise")]
      const wallet = `0x${"Ab".repeat(20)}`
      const added = yield* send(key, "POST", pool, { addresses: [wallet, wallet.toLowerCase(), numbered(1)] })
      assert.strictEqual(added.status, 200, added.text)
      const counts = { added: 2, already_tracked: 0, total: 2, max: mostFollowed, capped: false, refresh_kicked: true }
      assert.deepStrictEqual(added.json, counts)
      const again = yield* send(key, "POST", pool, { addresses: [numbered(1), numbered(2)] })
      assert.deepStrictEqual(again.json, { ...counts, added: 1, already_tracked: 1, total: 3 })
      const listed = yield* askWith(key, pool)
      const wallets = [numbered(1), numbered(2), wallet.toLowerCase()]
      assert.deepStrictEqual(listed.json, { wallets, count: 3, max: mostFollowed })
      assert.deepStrictEqual((yield* askWith(other.key, pool)).json, { wallets: [], count: 0, max: mostFollowed })

      const remove = send(key, "DELETE", pool, { addresses: [wallet.toUpperCase().replace("X", "x"), numbered(7)] })
      assert.deepStrictEqual((yield* remove).json, { removed: 1, total: 2, max: mostFollowed })
      assert.deepStrictEqual((yield* remove).json, { removed: 0, total: 2, max: mostFollowed })
    }),
  )

  it.effect("a full pool takes the first wallets that fit, also with concurrent additions", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      assert.strictEqual((yield* send(key, "POST", pool, { addresses: many(990) })).json.added, 990)
      const both = yield* Effect.all(
        [1_001, 2_001].map((from) => send(key, "POST", pool, { addresses: many(8, from) })),
        { concurrency: 2 },
      )
      assert.deepStrictEqual(both.map(({ json }) => json.added).toSorted(), [2, 8])
      assert.deepStrictEqual(both.map(({ json }) => json.capped).toSorted(), [false, true])
      for (const { json } of both) assert.strictEqual(json.hint !== undefined, json.capped)
      const full = yield* send(key, "POST", pool, { addresses: [numbered(1), ...many(5, 5_000)] })
      assert.deepInclude(full.json, { added: 0, already_tracked: 1, total: mostFollowed, capped: true })
      assert.strictEqual((yield* askWith(key, pool)).json.count, mostFollowed)
      const emptied = yield* send(key, "DELETE", pool, { addresses: (yield* askWith(key, pool)).json.wallets })
      assert.deepInclude(emptied.json, { removed: mostFollowed, total: 0 })
    }),
  )

  it.effect("scores, failures and pending wallets are listed, ranked and filtered", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const { sql, tx } = yield* Postgres
      yield* send(key, "POST", pool, { addresses: many(6, 100) })
      // 100 gains, 101 loses and is toxic, 102 earned almost nothing, 103 has two scores, 104 failed, 105 is pending.
      const scores: ReadonlyArray<readonly [number, ReadonlyArray<StoredScore>]> = [
        [100, [score(100n * usd, 90n * usd, 5)]],
        [101, [score(-10n * usd, -12n * usd, 50)]],
        [102, [score(1n, -3n, 1)]],
        [103, [score(20n * usd, 17n * usd, 7), score(30n * usd, 29n * usd, 8, 7)]],
        [104, [score(500n * usd, 499n * usd, 9)]],
      ]
      yield* tx(Effect.forEach(scores, ([n, found]) => ScoreStore.save(sql, addressAt(n), found, at)))
      yield* ScoreStore.fail(sql, addressAt(104), "timeout_180s", at, new Date(at.getTime() + 1))

      const board = (query: string) => askWith(key, `${path}/leaderboard${query}`)
      const order = (answer: { readonly json: { readonly results: ReadonlyArray<{ readonly wallet: string }> } }) =>
        answer.json.results.map(({ wallet }) => Number(wallet))
      const whole = yield* board("")
      const { results, ...rest } = whole.json
      assert.deepStrictEqual(rest, {
        coverage: null,
        period: "30d",
        sort_by: "backtest_copy_pnl_usdc",
        order: "desc",
        filters: { min_trade_count: 0, exclude_toxic: false },
        total_in_pool: 6,
        scored: 4,
        filtered_in: 4,
        pending: 1,
        errored: 1,
        offset: 0,
        limit: 100,
        last_refresh: seconds,
        errored_sample: [{ wallet: numbered(104), error: "timeout_180s", ts: seconds }],
        pending_sample: [numbered(105)],
      })
      assert.deepStrictEqual(results[0], {
        local_rank: 1,
        wallet: numbered(100),
        actual_pnl_usdc: 100,
        backtest_copy_pnl_usdc: 90,
        slippage_amount_usdc: 10,
        slippage_cost_rate_pct: 10,
        toxic_for_copying: false,
        trade_count: 5,
        partial: false,
        computed_at: seconds,
      })
      assert.deepStrictEqual(order(whole), [100, 103, 102, 101])
      const orders: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
        ["?order=asc", [101, 102, 103, 100]],
        ["?order=ASC&period=30D&sort_by=Backtest_Copy_PnL_USDC", [101, 102, 103, 100]],
        ["?sort_by=actual_pnl_usdc", [100, 103, 102, 101]],
        ["?sort_by=slippage_amount_usdc&order=asc", [102, 101, 103, 100]],
        // Without a rate: last in both orders.
        ["?sort_by=slippage_cost_rate_pct", [101, 103, 100, 102]],
        ["?sort_by=slippage_cost_rate_pct&order=asc", [100, 103, 101, 102]],
        ["?sort_by=trade_count", [101, 103, 100, 102]],
        ["?exclude_toxic=true", [100, 103, 102]],
        ["?min_trade_count=6", [103, 101]],
        ["?limit=1&offset=1", [103]],
        ["?offset=9007199254740991", []],
        ["?period=7d", [103]],
        ["?period=180d", []],
      ]
      for (const [query, expected] of orders) assert.deepStrictEqual(order(yield* board(query)), expected, query)
      assert.strictEqual((yield* board("?limit=1&offset=1")).json.results[0].local_rank, 2)
      assert.strictEqual((yield* board("?period=180d")).json.last_refresh, null)

      const snapshot = (yield* askWith(key, `${path}/snapshot?periods=30d,7d,7d`)).json
      const { wallets, ...counts } = snapshot
      assert.deepStrictEqual(counts, {
        coverage: null,
        total_in_pool: 6,
        scored_any: 5,
        errored_any: 1,
        pending_any: 1,
        periods: ["7d", "30d"],
        last_refresh: seconds,
      })
      assert.deepStrictEqual(Object.keys(wallets[3].periods), ["7d", "30d"])
      assert.strictEqual(wallets[3].periods["7d"].trade_count, 8)
      assert.strictEqual(wallets[0].periods["7d"], null)
      assert.strictEqual(wallets[4].periods["30d"].actual_pnl_usdc, 500)
      assert.deepStrictEqual(wallets[4].error, { error: "timeout_180s", ts: seconds })
      assert.deepStrictEqual(wallets[5], { wallet: numbered(105), periods: { "7d": null, "30d": null } })
      assert.lengthOf((yield* askWith(key, `${path}/snapshot`)).json.periods, 6)
    }),
  )

  it.effect("invalid requests are refused with the reason", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const bodies: ReadonlyArray<readonly [unknown, string]> = [
        ["", noAddresses],
        ["{", noAddresses],
        ["null", noAddresses],
        ["[]", noAddresses],
        [{}, noAddresses],
        [{ addresses: [] }, noAddresses],
        [{ addresses: "0x" }, noAddresses],
        [{ addresses: [1] }, noAddresses],
        [{ addresses: [numbered(1), "0x12"] }, noAddresses],
        [{ addresses: [`${numbered(1)}0`] }, noAddresses],
        [{ addresses: [numbered(1).slice(2)] }, noAddresses],
        [{ addresses: [`0x${"g".repeat(40)}`] }, noAddresses],
        [{ addresses: many(1_001) }, "At most 1000 wallets per request (and per tenant)."],
        [{ addresses: [numbered(1)], extra: 1 }, 'Unknown field "extra".'],
        ['{"addresses":["0x\\u0000"]}', "NUL"],
      ]
      for (const [body, error] of bodies)
        for (const method of ["POST", "DELETE"]) {
          const answer = yield* send(key, method, pool, body)
          assert.strictEqual(answer.status, 400, `${method} ${answer.text}`)
          assert.include(answer.json.error, error)
          if (error.endsWith(".") && !error.startsWith("Unknown")) assert.strictEqual(answer.json.error, error)
        }
      const second = yield* send(key, "POST", pool, { addresses: [numbered(1), "0x12"] })
      assert.strictEqual(second.json.hint, 'addresses[1] is "0x12".')
      const queries: ReadonlyArray<readonly [string, string]> = [
        ["/leaderboard?period=1d", noPeriod],
        ["/leaderboard?period=", noPeriod],
        ["/leaderboard?period=constructor", noPeriod],
        ["/leaderboard?sort_by=name", `Invalid sort_by. Allowed: ${sortings}`],
        ["/leaderboard?order=up", "Invalid order. Allowed: asc or desc"],
        ["/leaderboard?limit=0", "limit"],
        ["/leaderboard?limit=1001", "limit"],
        ["/leaderboard?limit=ten", "limit"],
        ["/leaderboard?offset=-1", "greater than or equal to 0"],
        ["/leaderboard?offset=99999999999999999999", "offset"],
        ["/leaderboard?min_trade_count=-1", "min_trade_count"],
        ["/leaderboard?exclude_toxic=yes", "exclude_toxic"],
        ["/leaderboard?periods=7d", "Unknown parameter"],
        ["/leaderboard?period=7d&period=14d", "takes one value"],
        ["/snapshot?periods=7d,8d", noPeriod],
        ["/snapshot?periods=", noPeriod],
        ["/snapshot?periods=7d%00", "NUL"],
        ["/wallets?limit=1", "Unknown parameter"],
      ]
      for (const [query, error] of queries) {
        const answer = yield* askWith(key, `${path}${query}`)
        assert.strictEqual(answer.status, 400, `${query} ${answer.text}`)
        assert.include(answer.json.error, error, query)
        if (error.startsWith("Invalid")) assert.strictEqual(answer.json.error, error)
      }
    }),
  )

  it.effect("free keys are refused with 402, requests without a key with 401", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("free")
      for (const each of ["/wallets", "/snapshot", "/leaderboard"]) {
        const answer = yield* askWith(key, `${path}${each}`)
        assert.strictEqual(answer.status, 402, each)
        assert.strictEqual(answer.json.required_plan, "starter")
      }
      assert.strictEqual((yield* send(key, "POST", pool, { addresses: [numbered(1)] })).status, 402)
      assert.strictEqual((yield* askWith("nobody", pool)).status, 401)
    }),
  )
})
