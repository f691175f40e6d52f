import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { copyPnl } from "#actors/copyPnl.ts"
import { ApiServer } from "#http/Server.ts"
import { CopyPnlReport } from "#src/copy-pnl/contracts.ts"
import { addressOf, bytesOf } from "#src/copy-pnl/model.ts"
import { Reports } from "#src/copy-pnl/reports/Reports.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { makeSharedRunStore } from "#src/mesh/shared-runs/SharedRunStore.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "#test/support/eventually.ts"
import { historyRead } from "#test/support/historyRead.ts"
import { hold, holding, someoneWaits } from "#test/support/hold.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { serving } from "./support/serving.ts"
import { send } from "./support/webhooks.ts"

const server = Layer.merge(ApiServer, copyPnl).pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(
    testFoundation({ port: "0", host: "127.0.0.1", "copy-pnl.page": "2", "copy-pnl.per-account": "1" }),
  ),
)

const path = "/v2/copy-pnl"
const wallet = `0x${"Ab".repeat(20)}`
const unknown = `0x${"1".repeat(40)}`
const start = 1_794_000_000
const [token, other] = [1, 2]

/** Buys 10 of one token at 0.50 and 10 more at 0.70, sells 20 at 0.80; buys 5 of another at 0.20, redeems them for 5. */
const history = Effect.gen(function* () {
  const { sql } = yield* Postgres
  yield* sql`create table if not exists fill_any partition of fill default`
  const [known] = yield* sql<{ id: number }>`
    insert into wallet (address) values (${bytesOf(addressOf(wallet) ?? assert.fail())}) returning id`
  const id = known?.id ?? 0
  yield* sql`insert into token (hash) values (decode(lpad('ff', 64, '0'), 'hex')), (decode(lpad('10', 64, '0'), 'hex'))`
  const fill = (n: number, second: number, side: number, of: number, shares: number, usd: number) => sql`
    with block as (
      insert into block (number, hash, at, logs, transactions, transaction_logs)
      values (${10 + n}, '\\x00', to_timestamp(${start + second}), 1, ${Buffer.alloc(32, n)}, '{0}'))
    insert into fill (shares, usd, fee, block, log_index, at, maker, taker, token, builder, exchange, is_sale, order_hash)
    values (${BigInt(shares)}, ${BigInt(usd)}, 7, ${10 + n}, 0, ${start + second}, ${id}, 0, ${of}, 0, 0, ${side === 1},
      ${Buffer.alloc(32, 100 + n)})`
  yield* fill(1, 0, 0, token, 10_000_000, 5_000_000)
  yield* fill(2, 100, 0, token, 10_000_000, 7_000_000)
  yield* fill(3, 1_000, 1, token, 20_000_000, 16_000_000)
  yield* fill(4, 2_000, 0, other, 5_000_000, 1_000_000)
  yield* sql`
    insert into redemption (block, log_index, at, wallet, condition, tokens, shares, payout)
    values (5, 0, ${new Date((start + 5_000) * 1000)}, ${id}, 1, '{2}', '{5000000}', 5000000)`
  const gains: ReadonlyArray<readonly [number, number, number, number, number]> = [
    [3, 1_000, token, 0, 4_000_000],
    [5, 4_000, other, 3, 4_000_000],
  ]
  for (const [block, second, of, kind, amount] of gains)
    yield* sql`
      insert into realized_event (block, log_index, sub, at, wallet, token, kind, amount)
      values (${block}, 0, 0, ${new Date((start + second) * 1000)}, ${id}, ${of}, ${kind}, ${BigInt(amount)})`
})

const whole = { from: start, to: start + 10_000 }
const query = ({ from, to }: typeof whole) => `?from=${from}&to=${to}`

layer(server, { excludeTestServices: true })("Copy-pnl on demand", (it) => {
  it.effect("a report covers any wallet and window", () =>
    Effect.gen(function* () {
      yield* history
      const { key } = yield* keyOf("starter")
      const early = yield* askWith(key, `${path}/${wallet}${query(whole)}`)
      assert.strictEqual(early.status, 503, early.text)
      assert.include(early.json.error, "the history is still being read")
      yield* historyRead
      const asked = yield* askWith(key, `${path}/${wallet}${query(whole)}&include_trades=true`)
      assert.strictEqual(asked.status, 200, asked.text)
      const { computed_at, trades, coverage, ...report } = asked.json
      assert.isTrue(coverage.complete)
      assert.isAbove(computed_at, 0)
      assert.deepStrictEqual(report, {
        wallet: wallet.toLowerCase(),
        actual_pnl_usdc: 8,
        backtest_copy_pnl_usdc: 7.42,
        slippage_amount_usdc: 0.58,
        slippage_cost_rate_pct: 7.25,
        toxic_for_copying: false,
        trade_count: 4,
        partial: false,
        total_realized_pnl_usdc: 8,
        positions_closed: 2,
        avg_entry_prob_weighted: 0.52,
        // 20 shares from 50 s to 1,000 s, 5 shares from 2,000 s to 5,000 s.
        avg_hold_seconds_weighted: (20 * 950 + 5 * 3_000) / 25,
        pnl_definition: "cashflow",
        applied_filters: { ...whole, window_days: 0.115752 },
        sources: { fills: 4, splits: 0, merges: 0, redemptions: 1, conversions: 0 },
      })
      assert.lengthOf(trades, 4)
      assert.deepStrictEqual(trades[1], {
        tx_hash: `0x${"03".repeat(32)}`,
        order_hash: `0x${(103).toString(16).repeat(32)}`,
        timestamp: start + 1_000,
        token_id: "255",
        direction: "SELL",
        price: 0.8,
        shares: 20,
        usd: 16,
      })

      // Both ends are inclusive.
      const narrow = yield* askWith(key, `${path}/${wallet}${query({ from: start + 100, to: start + 1_000 })}`)
      assert.deepInclude(narrow.json, { actual_pnl_usdc: 9, trade_count: 2, total_realized_pnl_usdc: 4 })
      assert.notProperty(narrow.json, "trades")
      const none = yield* askWith(key, `${path}/${unknown}?period=7d`)
      assert.deepInclude(none.json, { actual_pnl_usdc: 0, slippage_cost_rate_pct: null, positions_closed: 0 })
      assert.deepInclude(none.json, { avg_entry_prob_weighted: null, avg_hold_seconds_weighted: null, partial: false })
      assert.strictEqual(none.json.applied_filters.window_days, 7)
    }),
  )

  it.effect("a score ends at the newest block of the ledger, not now", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { key } = yield* keyOf("starter")
      const newest = start + 6_000
      yield* sql`
        insert into block (number, hash, at, logs) values (1, '\\x01', ${new Date(newest * 1000)}, 0)`
      const filters = (more: string) =>
        Effect.map(askWith(key, `${path}/${wallet}${more}`), ({ json }) => json.applied_filters)
      const week = 7 * 86_400
      assert.deepStrictEqual(yield* filters("?period=7d"), { from: newest - week + 1, to: newest, window_days: 7 })
      assert.deepInclude(yield* filters(`?from=${start}&to=${newest + 5}`), { from: start, to: newest })
      assert.deepInclude(yield* filters(`?from=${start}&to=${newest - 5}`), { from: start, to: newest - 5 })
      assert.deepInclude(yield* filters(`?from=${newest + 2}`), { from: newest + 2, to: newest + 2 })
      yield* sql`delete from block where number = 1`
    }),
  )

  it.effect("a batch is scored at once, limited to one per five seconds", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const body = { addresses: [wallet, unknown, wallet.toLowerCase()], ...whole, include_trades: true }
      const asked = yield* send(key, "POST", `${path}/batch`, body)
      assert.strictEqual(asked.status, 200, asked.text)
      assert.deepInclude(asked.json, { count: 2, scored: 2 })
      const [first, second] = asked.json.wallets
      assert.deepInclude(first, { wallet: wallet.toLowerCase(), actual_pnl_usdc: 8 })
      assert.lengthOf(first.trades, 4)
      assert.deepInclude(second, { wallet: unknown, trade_count: 0, trades: [] })
      const again = yield* send(key, "POST", `${path}/batch`, body)
      assert.strictEqual(again.status, 429)
      assert.strictEqual(again.json.scope, "copy-pnl-batch")
    }),
  )

  it.effect("an account over its concurrency limit is refused", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      // Readers of the history block here until the test continues.
      const release = yield* hold("lock table conversion in access exclusive mode")
      const first = yield* Effect.forkScoped(askWith(key, `${path}/${wallet}`))
      yield* eventually("the first is under way", someoneWaits)
      const refusals = [
        yield* askWith(key, `${path}/${unknown}`),
        yield* send(key, "POST", `${path}/batch`, { addresses: [wallet] }),
      ]
      for (const { status, json } of refusals) {
        assert.strictEqual(status, 429)
        assert.deepInclude(json, { scope: "copy-pnl-on-demand", limit: 1 })
      }
      yield* release
      assert.strictEqual((yield* Fiber.join(first)).status, 200)
      assert.strictEqual((yield* askWith(key, `${path}/${unknown}`)).status, 200)
    }),
  )

  it.effect("a report that exceeds its time is refused, wherever the time was spent, and succeeds with more time", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const { applyOverrides } = yield* Configuration
      const ask = askWith(key, `${path}/${wallet}${query(whole)}`)
      yield* applyOverrides(new Map([["copy-pnl.on-demand-time", "100ms"]]))
      for (const table of ["wallet", "conversion"]) {
        const late = yield* holding(`lock table ${table} in access exclusive mode`, ask)
        assert.strictEqual(late.status, 503, late.text)
        assert.deepInclude(late.json, { error: "timeout_0.1s", hint: "Request a shorter window." }, table)
      }
      const several = yield* holding(
        "lock table conversion in access exclusive mode",
        send(key, "POST", `${path}/batch`, { addresses: [wallet, unknown], ...whole }),
      )
      assert.strictEqual(several.status, 200, several.text)
      const error = "timeout_0.1s"
      const wallets = [wallet.toLowerCase(), unknown].map((each) => ({ wallet: each, error }))
      assert.deepStrictEqual(several.json, { count: 2, scored: 0, wallets })
      yield* applyOverrides(new Map())
      assert.deepInclude((yield* ask).json, { actual_pnl_usdc: 8, partial: false })
    }),
  )

  it.effect("a report whose worker went silent is abandoned", () =>
    Effect.gen(function* () {
      const { ask } = yield* Reports
      const { account } = yield* keyOf("growth")
      const queue = (yield* Jobs).queue(CopyPnlReport)
      yield* Effect.promise(() => queue.pause())
      const question = { wallets: [addressOf(wallet) ?? assert.fail()], after: 0, until: 1, trades: 0 }
      const clock = yield* TestClock.make()
      const asking = yield* ask(account, question).pipe(
        Effect.flip,
        Effect.provideService(Clock.Clock, clock),
        Effect.forkScoped,
      )
      let asked: ReadonlyArray<{ readonly data: unknown }> = []
      yield* eventually(
        "a worker is asked",
        Effect.promise(async () => {
          asked = await queue.getJobs(["waiting", "prioritized"])
          return asked.length === 1
        }),
      )
      const { run } = yield* Effect.fromResult(CopyPnlReport.decode(asked[0]?.data))
      yield* (yield* makeSharedRunStore).claim(run, "frozen")
      yield* clock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(asking))._tag, "ReportLate")
      yield* Effect.promise(() => queue.resume())
    }),
  )

  it.effect("invalid requests are refused with the reason", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const queries: ReadonlyArray<readonly [string, string]> = [
        ["/0x12", "Invalid wallet address"],
        [`/${wallet}0`, "Invalid wallet address"],
        [`/${wallet}?period=1d`, "Invalid period. Allowed: 7d, 14d, 30d, 60d, 90d, 180d"],
        [`/${wallet}?period=7d&from=1`, 'Use either "period" or "from" and "to".'],
        [`/${wallet}?from=${start}000`, '"from": expected Unix seconds'],
        [`/${wallet}?from=10&to=9`, '"to": expected a time not before "from" (10), got 9'],
        [`/${wallet}?from=-1`, "from"],
        [`/${wallet}?to=NaN`, "to"],
        [`/${wallet}?include_trades=1`, "include_trades"],
        [`/${wallet}?limit=1`, "Unknown parameter"],
      ]
      for (const [each, error] of queries) {
        const answer = yield* askWith(key, `${path}${each}`)
        assert.strictEqual(answer.status, 400, `${each} ${answer.text}`)
        assert.include(answer.json.error, error, each)
      }
      const hinted = yield* askWith(key, `${path}/${wallet}?from=${start}000`)
      assert.include(hinted.json.hint, String(start))
      const many = Array.from({ length: 101 }, (_, i) => `0x${i.toString(16).padStart(40, "0")}`)
      const bodies: ReadonlyArray<readonly [object, string]> = [
        [{ addresses: many }, "At most 100 wallets per request."],
        [{ addresses: [] }, 'Body must include "addresses"'],
        [{ addresses: [wallet], from: start * 1000 }, "expected Unix seconds"],
        [{ addresses: [wallet], to: "now" }, "expected Unix seconds"],
        [{ addresses: [wallet], include_trades: "yes" }, "include_trades"],
        [{ addresses: [wallet], period: "7d" }, "Unknown field"],
      ]
      for (const [body, error] of bodies) {
        const own = yield* keyOf("starter")
        const answer = yield* send(own.key, "POST", `${path}/batch`, body)
        assert.strictEqual(answer.status, 400, answer.text)
        assert.include(answer.json.error, error)
        assert.notProperty(answer.json, "param")
      }
      const free = yield* keyOf("free")
      assert.strictEqual((yield* askWith(free.key, `${path}/${wallet}`)).status, 402)
      assert.strictEqual((yield* send(free.key, "POST", `${path}/batch`, { addresses: [wallet] })).status, 402)
    }),
  )
})
