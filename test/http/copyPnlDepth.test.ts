import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { copyPnl } from "#actors/copyPnl.ts"
import { ApiServer } from "#http/Server.ts"
import { BookRecords } from "#src/books/BookRecords.ts"
import { addressOf, bytesOf } from "#src/copy-pnl/model.ts"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { historyRead } from "#test/support/historyRead.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { serving } from "./support/serving.ts"

const server = Layer.merge(ApiServer, copyPnl).pipe(
  Layer.provideMerge(Layer.merge(serving, BookRecords.layer)),
  Layer.provideMerge(Dictionary.layer),
  // Pages of two fills, so that there are several.
  Layer.provideMerge(
    testFoundation({ port: "0", host: "127.0.0.1", "copy-pnl.page": "2", "books.record-levels": "3" }),
  ),
)

const wallet = `0x${"ab".repeat(20)}`
const start = 1_794_000_000
const [token, other] = ["255", "16"]

type Levels = ReadonlyArray<readonly [price: number, size: number]>

/** Dollars and shares as integers. */
const micro = (levels: Levels) =>
  levels.map(([price, size]) => ({ price: Math.round(price * 1e6), size: Math.round(size * 1e6) }))

const world = Effect.gen(function* () {
  const { sql } = yield* Postgres
  yield* sql`create table if not exists fill_any partition of fill default`
  const [known] = yield* sql<{ id: number }>`
    insert into wallet (address) values (${bytesOf(addressOf(wallet) ?? assert.fail())}) returning id`
  const dictionary = yield* Dictionary
  const hex = (id: string) => BigInt(id).toString(16).padStart(64, "0")
  const ids = yield* dictionary.tokens([token, other].map(hex))
  let block = 10
  const fill = (second: number, isSale: boolean, of: string, shares: number, usd: number) => {
    block++
    return sql`
      with block as (
        insert into block (number, hash, at, logs, transactions, transaction_logs)
        values (${block}, '\\x00', to_timestamp(${start + second}), 1, ${Buffer.alloc(32, block)}, '{0}'))
      insert into fill (shares, usd, fee, block, log_index, at, maker, taker, token, builder, exchange, is_sale, order_hash)
      values (${BigInt(shares * 1e6)}, ${BigInt(usd * 1e6)}, 7, ${block}, 0, ${start + second}, ${known?.id ?? 0}, 0,
        ${ids.get(hex(of)) ?? 0}, 0, 0, ${isSale}, ${Buffer.alloc(32, block)})`
  }
  yield* fill(0, false, token, 10, 5)
  yield* fill(100, false, token, 10, 7)
  yield* fill(1_000, true, token, 20, 16)
  yield* fill(2_000, false, other, 5, 1)
  yield* fill(3_000, true, other, 4, 2)
  yield* historyRead
})

/** Records a book `millis` after the start. */
const record = Effect.fnUntraced(function* (of: string, millis: number, bids: Levels, asks: Levels) {
  const lease = yield* (yield* Leases).seize("test/books")
  const at = start * 1000 + millis
  yield* (yield* BookRecords).write(lease, [{ token: of, at, bids: micro(bids), asks: micro(asks) }])
})

layer(server, { excludeTestServices: true })("Copy P&L at recorded order books", (it) => {
  it.effect("counts no fill while nothing is recorded", () =>
    Effect.gen(function* () {
      yield* world
      const { key } = yield* keyOf("starter")
      const path = `/v2/copy-pnl/${wallet}?from=${start}&to=${start + 10_000}`
      const flat = yield* askWith(key, path)
      assert.strictEqual(flat.status, 200, flat.text)
      // 5.10 and 7.14 and 1.02 paid, 15.68 and 1.96 received.
      assert.deepInclude(flat.json, { actual_pnl_usdc: 5, backtest_copy_pnl_usdc: 4.38, trade_count: 5 })
      assert.notProperty(flat.json, "depth")
      const { json } = yield* askWith(key, `${path}&depth=true`)
      assert.deepInclude(json, { backtest_copy_pnl_usdc: 4.38, partial: false })
      const depth = { fills_from_book: 0, fills_flat: 5, fills_too_thin: 0, flat_backtest_copy_pnl_usdc: 4.38 }
      assert.deepStrictEqual(json.depth, depth)
    }),
  )

  it.effect("takes the newest book of the last 30 seconds, and 2 % where there is none or it is too thin", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const path = `/v2/copy-pnl/${wallet}?from=${start}&to=${start + 10_000}`
      // 4 at 0.51 and 6 at 0.55 are 5.34 instead of 5.10.
      yield* record(
        token,
        -2_000,
        [[0.5, 100]],
        [
          [0.51, 4],
          [0.55, 100],
        ],
      )
      // Too old, and too new: in the second after the block.
      yield* record(token, 69_999, [], [[0.9, 100]])
      yield* record(token, 101_000, [], [[0.95, 100]])
      // Three levels are recorded, which have 18 of 20 shares.
      yield* record(
        token,
        999_000,
        [
          [0.79, 6],
          [0.78, 6],
          [0.77, 6],
          [0.76, 100],
        ],
        [],
      )
      // The later one counts: 5 at 0.21 are 1.05 instead of 1.02.
      yield* record(other, 1_990_000, [], [[0.3, 100]])
      yield* record(other, 2_000_999, [[0.2, 100]], [[0.21, 100]])
      // Of another token at the time of a fill.
      yield* record(other, 100_000, [], [[0.01, 100]])
      // A book that is better than 2 %: 4 at 0.495 are 1.98 instead of 1.96.
      yield* record(other, 2_970_000, [[0.495, 100]], [[0.5, 100]])

      const { json, text } = yield* askWith(key, `${path}&depth=true`)
      assert.deepStrictEqual(
        json.depth,
        { fills_from_book: 3, fills_flat: 2, fills_too_thin: 1, flat_backtest_copy_pnl_usdc: 4.38 },
        text,
      )
      assert.deepInclude(json, {
        actual_pnl_usdc: 5,
        // 4.38, less 0.24 and 0.03, and 0.02 more.
        backtest_copy_pnl_usdc: 4.13,
        slippage_amount_usdc: 0.87,
        slippage_cost_rate_pct: 17.4,
        toxic_for_copying: true,
        partial: false,
      })
      const flat = yield* askWith(key, `${path}&depth=false`)
      assert.strictEqual(flat.json.backtest_copy_pnl_usdc, 4.38)
      const part = yield* askWith(key, `/v2/copy-pnl/${wallet}?from=${start + 2_000}&to=${start + 2_000}&depth=true`)
      assert.deepInclude(part.json, { actual_pnl_usdc: -1, backtest_copy_pnl_usdc: -1.05, trade_count: 1 })
      const wrong = yield* askWith(key, `${path}&depth=yes`)
      assert.strictEqual(wrong.status, 400)
      assert.match(wrong.json.error, /"true".*"false"/)
    }),
  )
})
