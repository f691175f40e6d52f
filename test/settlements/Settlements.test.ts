import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer } from "effect"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { confirmSettlements, unconfirmSettlements } from "#src/settlements/confirm.ts"
import { Settlements } from "#src/settlements/Settlements.ts"
import type { PendingFill, PendingMatch } from "#src/upstream/chain/ChainNode.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { ordersSeen, published, settlements, statuses } from "./support/stored.ts"

const stores = () => Settlements.layer.pipe(Layer.provideMerge(Dictionary.layer), Layer.provideMerge(testFoundation()))

const digits = (number: number, count: number) => number.toString(16).padStart(count, "0")

const fill = (maker: number, side: "buy" | "sell", shares: number): PendingFill => ({
  orderHash: digits(maker * 1_000 + shares, 64),
  maker: digits(maker, 40),
  signer: digits(maker + 7, 40),
  side,
  token: digits(5, 64),
  shares,
  usd: Math.floor(shares / 2),
  fee: side === "buy" ? 3 : 0,
  builder: maker % 2 === 0 ? digits(9, 64) : undefined,
})

const match = (number: number): PendingMatch => ({
  tx: digits(number, 64),
  exchange: address.ctfExchange2,
  generation: 2,
  condition: digits(4, 64),
  taker: fill(1, "buy", 30),
  makers: [fill(2, "sell", 10), fill(3, "sell", 20)],
})

const seen = (...numbers: ReadonlyArray<number>) => numbers.map((number) => ({ match: match(number), at: 1_000 }))

const lease = Effect.flatMap(Leases, (leases) => leases.seize("settlements"))

const began = Date.UTC(2026, 5, 1)
const blockAt = (block: number) => new Date(began + block * 2_000)

/** Moves the ledger's cursor to a block, in the caller's transaction if there is one. */
const ledgerAt = (block: number, head = block) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    yield* sql`insert into block (number, hash, at, logs) values (${block}, '\\x00', ${blockAt(block)}::timestamptz, 0)
      on conflict do nothing`
    yield* sql`insert into chain_cursor (name, block, hash, started_from, head) values ('polygon', ${block}, '\\x00', 0, ${head})
      on conflict (name) do update set block = excluded.block, head = excluded.head`
  })

/** Inserts the fill of a taker's own order as the ledger does. */
const fillInLedger = (number: number, block: number) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    yield* sql`create table if not exists fill_any partition of fill default`
    yield* sql`
      insert into block (number, hash, at, logs, transactions, transaction_logs)
      values (${block}, '\\x00', ${blockAt(block)}::timestamptz, 1, ${Buffer.from(digits(number, 64), "hex")}, '{0}')
      on conflict (number) do update set transactions = excluded.transactions, transaction_logs = '{0}'`
    yield* sql`
      insert into fill (shares, usd, fee, block, log_index, at, maker, taker, token, builder, exchange, is_sale, order_hash)
      select 1, 1, 0, ${block}, 0, extract(epoch from ${blockAt(block)}::timestamptz)::int, w.id, 0, 1, 0, 2, false, '\\x00'
      from wallet w where w.address = ${Buffer.from(digits(1, 40), "hex")}`
  })

const confirm = (number: number, block: number) =>
  Effect.gen(function* () {
    const { sql, tx } = yield* Postgres
    yield* tx(confirmSettlements(sql, yield* EventLog, [{ tx: digits(number, 64), block }]))
  })

const unconfirm = (fork: number) =>
  Effect.gen(function* () {
    const { sql, tx } = yield* Postgres
    yield* tx(unconfirmSettlements(sql, yield* EventLog, fork))
  })

const statusOf = (number: number) =>
  Effect.map(settlements, (all) => all.find(({ tx }) => tx === digits(number, 64))?.status)

const publishedOf = (number: number) =>
  Effect.gen(function* () {
    const id = (yield* settlements).find(({ tx }) => tx === digits(number, 64))?.id ?? -1n
    return (yield* published).get(id) ?? []
  })

const twoMinutes = Duration.minutes(2)

layer(stores(), { excludeTestServices: true })("Settlements", (it) => {
  it.effect("are stored and published once, however often they are seen", () =>
    Effect.gen(function* () {
      const store = yield* Settlements
      const own = yield* lease
      const counts = yield* Effect.all(
        [store.write(own, seen(1, 2, 1)), store.write(own, seen(2, 3)), store.write(own, seen(3, 1))],
        { concurrency: "unbounded" },
      )
      assert.strictEqual(
        counts.reduce((sum, count) => sum + count),
        3,
      )
      assert.strictEqual(yield* store.write(own, seen(1, 2, 3)), 0)
      const all = yield* settlements
      assert.deepStrictEqual(
        all.map(({ tx }) => tx).sort(),
        [1, 2, 3].map((number) => digits(number, 64)),
      )
      assert.isTrue(all.every(({ status, block }) => status === "pending" && block === null))
      const events = yield* published
      for (const { id } of all) assert.deepStrictEqual(statuses(events.get(id)), ["pending"])
      assert.strictEqual(yield* store.pending, 3)
      const [token, builder] = [digits(5, 64), digits(9, 64)]
      assert.deepStrictEqual((yield* ordersSeen).get(digits(2, 64)), [
        `${digits(1, 40)} ${token} 0 30 15 3  taker`,
        `${digits(2, 40)} ${token} 1 10 5 0 ${builder} maker`,
        `${digits(3, 40)} ${token} 1 20 10 0  maker`,
      ])
    }),
  )

  it.effect("are refused from a process that has lost the lease", () =>
    Effect.gen(function* () {
      const store = yield* Settlements
      const old = yield* lease
      yield* lease
      const failure = yield* Effect.flip(store.write(old, seen(10)))
      assert.strictEqual(failure._tag, "LeaseLost")
      assert.isUndefined(yield* statusOf(10))
    }),
  )

  it.effect("are not stored if their block is already in the ledger", () =>
    Effect.gen(function* () {
      const store = yield* Settlements
      yield* ledgerAt(100)
      yield* fillInLedger(20, 100)
      assert.strictEqual(yield* store.write(yield* lease, seen(20, 21)), 1)
      assert.isUndefined(yield* statusOf(20))
      assert.strictEqual(yield* statusOf(21), "pending")
    }),
  )

  it.effect("wait for a ledger transaction that contains their block", () =>
    Effect.gen(function* () {
      const store = yield* Settlements
      const { sql, reads, tx } = yield* Postgres
      const log = yield* EventLog
      const own = yield* lease
      const isWaiting = Effect.map(
        reads`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        (rows) => rows.length > 0,
      )
      const [moved, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const ledger = yield* Effect.forkScoped(
        tx(
          Effect.gen(function* () {
            yield* ledgerAt(101)
            yield* confirmSettlements(sql, log, [{ tx: digits(30, 64), block: 101 }])
            yield* Deferred.succeed(moved, undefined)
            yield* Deferred.await(mayEnd)
            yield* fillInLedger(30, 101)
          }),
        ),
      )
      yield* Deferred.await(moved)
      const writing = yield* Effect.forkScoped(store.write(own, seen(30)))
      yield* eventually("the writer waits", isWaiting)
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(ledger)
      assert.strictEqual(yield* Fiber.join(writing), 0)
      assert.isUndefined(yield* statusOf(30))
    }),
  )

  it.effect("are confirmed by their block, pending again after a reorganisation, and confirmed again", () =>
    Effect.gen(function* () {
      const store = yield* Settlements
      yield* store.write(yield* lease, seen(40))
      yield* confirm(40, 200)
      yield* confirm(40, 200)
      yield* confirm(41, 200)
      yield* unconfirm(200)
      assert.strictEqual(yield* statusOf(40), "confirmed")
      yield* unconfirm(199)
      assert.strictEqual(yield* statusOf(40), "pending")
      yield* unconfirm(199)
      yield* confirm(40, 201)
      assert.strictEqual(yield* statusOf(40), "confirmed")
      assert.deepStrictEqual(
        (yield* publishedOf(40)).map(({ status, block }) => [status, block]),
        [
          ["pending", null],
          ["confirmed", 200],
          ["pending", null],
          ["confirmed", 201],
        ],
      )
      assert.isUndefined(yield* statusOf(41))
    }),
  )
})

layer(stores(), { excludeTestServices: true })("Settlements without a block", (it) => {
  it.effect("are dropped once, when their block is overdue, and confirmed by a late block", () =>
    Effect.gen(function* () {
      const store = yield* Settlements
      const own = yield* lease
      yield* store.write(own, seen(1))
      assert.strictEqual(yield* store.drop(own, twoMinutes), 0)

      yield* ledgerAt(1_000)
      yield* store.write(own, seen(2))
      // No block arrived after it was seen: the ledger may have stalled.
      yield* store.drop(own, twoMinutes)
      assert.deepStrictEqual(
        (yield* settlements).map(({ waits }) => waits),
        [true, false],
      )
      // The ledger lags: its blocks are older than the settlement.
      yield* ledgerAt(1_200, 5_000)
      yield* confirm(1, 1_200)
      assert.strictEqual(yield* store.drop(own, twoMinutes), 0)
      yield* ledgerAt(5_000)
      assert.strictEqual(yield* store.drop(own, twoMinutes), 0)
      yield* ledgerAt(5_059)
      assert.strictEqual(yield* store.drop(own, twoMinutes), 0)
      yield* ledgerAt(5_060)
      assert.strictEqual(yield* store.drop(own, twoMinutes), 1)
      assert.strictEqual(yield* store.drop(own, twoMinutes), 0)
      assert.strictEqual(yield* statusOf(2), "dropped")
      assert.strictEqual(yield* store.pending, 0)

      assert.strictEqual(yield* store.write(own, seen(2)), 0)
      yield* confirm(2, 5_061)
      assert.deepStrictEqual(statuses(yield* publishedOf(2)), ["pending", "dropped", "confirmed"])
      assert.deepStrictEqual(statuses(yield* publishedOf(1)), ["pending", "confirmed"])
    }),
  )

  it.effect("restart waiting when a reorganisation removes their block", () =>
    Effect.gen(function* () {
      const store = yield* Settlements
      const own = yield* lease
      yield* ledgerAt(6_000)
      yield* store.write(own, seen(5))
      yield* confirm(5, 6_001)
      yield* ledgerAt(6_100)
      yield* unconfirm(6_000)
      yield* ledgerAt(6_000, 6_001)
      assert.strictEqual(yield* store.drop(own, twoMinutes), 0)
      yield* ledgerAt(6_101)
      assert.strictEqual(yield* store.drop(own, twoMinutes), 0)
      yield* ledgerAt(6_161)
      assert.strictEqual(yield* store.drop(own, twoMinutes), 1)
    }),
  )

  it.effect("are deleted with their orders after their events expire, unless they are pending", () =>
    Effect.gen(function* () {
      const store = yield* Settlements
      const { sql } = yield* Postgres
      const own = yield* lease
      yield* store.write(own, seen(70, 71))
      yield* confirm(70, 7_000)
      // It was just confirmed.
      assert.isFalse(yield* store.deleteOld(own, Date.now() - 60_000))
      assert.strictEqual(yield* statusOf(70), "confirmed")
      assert.isFalse(yield* store.deleteOld(own, Date.now() + 60_000))
      assert.deepStrictEqual(
        (yield* settlements).map(({ tx }) => tx),
        [digits(71, 64)],
      )
      const [left] = yield* sql<{ n: number }>`select count(distinct settlement)::int as n from settlement_order`
      assert.strictEqual(left?.n, 1)
    }),
  )
})
