import { assert, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { bookMaintenance } from "#actors/bookMaintenance.ts"
import { BookRecords, recordPartitions } from "#src/books/BookRecords.ts"
import { Books } from "#src/books/Books.ts"
import { BookMaintenance } from "#src/books/contracts.ts"
import { unpackLevels } from "#src/books/levelBytes.ts"
import type { BookSides } from "#src/books/walkBook.ts"
import { copyAtDepth } from "#src/copy-pnl/reports/copyAtDepth.ts"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { followedHistory } from "#test/ledger/support/followedHistory.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { allFacts, type FillFact } from "#test/webhooks/support/world/facts.ts"
import { type Heard, listen } from "./listening.ts"
import { prepared, runner, servicesAt } from "./runningShards.ts"

interface Row {
  readonly token: string
  readonly at: bigint
  readonly levels: Uint8Array
}

const records = Effect.flatMap(
  Postgres,
  ({ sql }) => sql<Row>`
    select encode(t.hash, 'hex') as token, r.at, r.levels from book_record r join token t on t.id = r.token order by r.at`,
)

/** What a copier gains over the flat 2 %, by another way: level by level in exact fractions. */
const expectedChange = (levels: BookSides["bids"], { side, shares, usd }: FillFact): bigint | undefined => {
  let [left, cost] = [shares, 0n]
  for (const { price, size } of levels) {
    const taken = left < BigInt(size) ? left : BigInt(size)
    cost += taken * BigInt(price)
    left -= taken
  }
  if (left > 0n) return undefined
  const paid = (cost + 500_000n) / 1_000_000n
  if (side === 1) return paid - (usd * 98n + 50n) / 100n
  const flat = (usd * 102n + 50n) / 100n
  return (flat < shares ? flat : shares) - paid
}

const partitions = Effect.flatMap(
  Postgres,
  ({ sql }) => sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'book_record'::regclass order by 1`,
)

/** The history of this world is in the ledger. */
const seed = 71

layer(
  testFoundation(
    { "books.shards": "2", "books.top": "0", "books.record-levels": "4", "books.record-every": "1s" },
    [],
    followedHistory(seed),
  ),
  {
    excludeTestServices: true,
  },
)("Recorded order books", (it) => {
  it.effect("are those that the venue showed right after trades, and give a copier the price after each fill", () =>
    Effect.gen(function* () {
      const { url, simulation, tokens, allFollowed } = yield* prepared(seed, 12)
      const heard = yield* listen(url, tokens)
      yield* Effect.gen(function* () {
        yield* (yield* Books).request(tokens)
        yield* allFollowed("all are followed")
        yield* eventually(
          "books are recorded",
          Effect.map(records, ({ length }) => length >= 12),
          "60 seconds",
        )
      }).pipe(Effect.provide(runner), Effect.provide(servicesAt(url)))
      const found = yield* records
      for (const { token, at, levels } of found) {
        const { bids, asks } = unpackLevels(levels)
        assert.isTrue(bids.length <= 4 && asks.length <= 4 && bids.length + asks.length > 0)
        const id = tokenOfHex(token)
        const traded = heard.trades.some((trade) => trade.token === id && trade.at === Number(at))
        assert.isTrue(traded, `no trade of ${id} at ${at}`)
        const shown = (book: Heard) => JSON.stringify([book.bids.slice(0, 4), book.asks.slice(0, 4)])
        const states = heard.books.filter((book) => book.token === id && book.at >= Number(at) - 2_000)
        const texts = states.map(shown)
        assert.include(texts, JSON.stringify([bids, asks]), `${id} at ${at}`)
      }

      simulation.freeze()
      simulation.settle()
      yield* Effect.flatMap(startFollower, (following) => caughtUp(simulation, following)).pipe(
        Effect.provide(nodeAt(url)),
        Effect.scoped,
      )
      const { sql } = yield* Postgres
      const books = found.map((row) => ({
        ...unpackLevels(row.levels),
        ...row,
        token: tokenOfHex(row.token),
      }))
      const { fills } = yield* allFacts(simulation.head)
      let [compared, total] = [0, 0]
      for (const [maker, own] of Map.groupBy(fills, (fill) => fill.maker)) {
        const expected = { change: 0n, fromBook: 0, tooThin: 0, isComplete: true }
        for (const fill of own) {
          const at = fill.at.getTime()
          const book = books
            .filter(
              (each) => each.token === fill.token && Number(each.at) >= at - 30_000 && Number(each.at) < at + 1_000,
            )
            .at(-1)
          if (book === undefined || fill.shares === 0n) continue
          const change = expectedChange(fill.side === 1 ? book.bids : book.asks, fill)
          if (change === undefined) expected.tooThin++
          else {
            expected.change += change
            expected.fromBook++
          }
        }
        const [wallet] = yield* sql<{ id: number }>`
          select id from wallet where address = ${Buffer.from(maker.slice(2), "hex")}`
        const window = { after: 0, until: simulation.now() + 60_000, size: 40, ends: Date.now() + 60_000 }
        const copied = yield* copyAtDepth(sql, wallet?.id ?? 0, window)
        assert.deepStrictEqual(copied, expected, maker)
        compared += expected.fromBook
        total++
      }
      assert.isAbove(total, 20)
      assert.isAbove(compared, 5)
    }).pipe(Effect.provide(ledger)),
  )

  it.effect("are dropped by whole days past their retention", () =>
    Effect.gen(function* () {
      const lease = yield* (yield* Leases).seize("test/books")
      const store = yield* BookRecords
      const now = Date.now()
      const levels = { bids: [{ price: 400_000, size: 5 }], asks: [] }
      for (const days of [30, 8, 1, 0])
        yield* store.write(lease, [{ token: "77", at: now - days * 86_400_000, ...levels }])
      const before = yield* partitions
      yield* (yield* Jobs).enqueue(BookMaintenance, {})
      yield* eventually(
        "old days are dropped",
        Effect.map(partitions, ({ length }) => length <= before.length - 1),
        "30 seconds",
      )
      const left = yield* Effect.map(records, (rows) => rows.filter(({ token }) => tokenOfHex(token) === "77"))
      assert.isTrue(left.every(({ at }) => Number(at) > now - 9 * 86_400_000))
      assert.isTrue(left.some(({ at }) => Number(at) === now))
      const oldest = yield* Effect.flatMap(Postgres, ({ sql }) => recordPartitions.oldest(sql))
      assert.isAtLeast(oldest ?? 0, now - 9 * 86_400_000)
      assert.deepStrictEqual(yield* recordPartitions.drop(yield* Postgres, Duration.days(3650)), [])
    }).pipe(Effect.provide([bookMaintenance, BookRecords.layer]), Effect.provide(Dictionary.layer)),
  )
})
