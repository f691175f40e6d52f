import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Baselines } from "#src/books/Baselines.ts"
import { BookCache, staleMillis } from "#src/books/BookCache.ts"
import * as BooksStore from "#src/books/BooksStore.ts"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { combineReports } from "#src/status/combineReports.ts"
import { booksView } from "#src/status/sources/books.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const stores = Layer.merge(BookCache.layer, Baselines.layer).pipe(
  Layer.provideMerge(Dictionary.layer),
  Layer.provideMerge(testFoundation({ "books.shards": "2" })),
)

const shownAt = (bid: number) => ({
  quote: {
    bid,
    ask: bid + 10_000,
    mid: bid + 5_000,
    spread: 10_000,
    lastTrade: { price: bid, side: "buy" as const, size: 1, at: 1 },
    tickSize: 10_000,
    updatedAt: 1,
  },
  book: {
    condition: "ab",
    bids: [{ price: bid, size: 5 }],
    asks: [],
    tickSize: 10_000,
    updatedAt: 1,
    epoch: "5",
    seq: 3,
    checksum: "00000000",
    trades: 2,
  },
})

layer(stores, { excludeTestServices: true })("Stored order books", (it) => {
  it.effect("only the newest process of a shard can publish, and it starts with an empty state", () =>
    Effect.gen(function* () {
      const cache = yield* BookCache
      let number = 0
      const publish = (epoch: bigint, token: string, bid: number | undefined) =>
        cache.publish(0, {
          epoch,
          number: ++number,
          heardAt: Date.now(),
          books: [{ token, shown: bid === undefined ? undefined : shownAt(bid), change: undefined }],
        })
      assert.isTrue(yield* publish(5n, "2", 100_000))
      assert.isFalse(yield* publish(5n, "4", 200_000))
      assert.deepStrictEqual(
        yield* cache.quotes(["2", "4", "6", "3"]),
        new Map([
          ["2", shownAt(100_000).quote],
          ["4", shownAt(200_000).quote],
        ]),
      )
      const { condition, bids, asks, tickSize, updatedAt, ...position } = shownAt(200_000).book
      const depth = { condition, bids, asks, tickSize, updatedAt }
      assert.deepStrictEqual(yield* cache.depth("4"), Option.some(depth))
      assert.deepStrictEqual(yield* cache.fullBooks(["4", "6"]), new Map([["4", { ...depth, ...position }]]))
      assert.sameMembers([...(yield* cache.heldTokens)], ["2", "4"])
      // A publication in between was lost.
      number++
      assert.isTrue(yield* publish(5n, "2", undefined))
      assert.sameMembers([...(yield* cache.quotes(["2", "4"])).keys()], ["4"])
      assert.isTrue(yield* publish(6n, "2", 300_000))
      assert.sameMembers([...(yield* cache.quotes(["2", "4"])).keys()], ["2"])
      assert.strictEqual((yield* Effect.flip(publish(5n, "4", 100_000)))._tag, "ShardReplaced")
      assert.isTrue(Option.isNone(yield* cache.depth("4")))
    }),
  )

  it.effect("books of a venue that fell silent are stale although their shard goes on publishing", () =>
    Effect.gen(function* () {
      const cache = yield* BookCache
      const view = yield* booksView
      const status = view(combineReports([], { from: 0, to: 0 }))
      const books = [{ token: "2", shown: shownAt(100_000), change: undefined }]
      const publish = (epoch: bigint, heardAt: number) =>
        Effect.andThen(
          cache.publish(0, { epoch, number: 1, heardAt, books }),
          cache.publish(1, { epoch, number: 1, heardAt, books: [] }),
        )
      yield* publish(7n, Date.now())
      assert.isTrue(Option.isSome(yield* cache.depth("2")))
      assert.strictEqual((yield* status).details["stale"], 0)

      const silentSince = Date.now() - staleMillis - 1_000
      yield* publish(8n, silentSince)
      assert.isEmpty(yield* cache.quotes(["2"]))
      assert.isTrue(Option.isNone(yield* cache.depth("2")))
      const { newestAt, details } = yield* status
      assert.deepStrictEqual([newestAt, details["held"], details["stale"]], [silentSince, 0, 1])
    }),
  )

  it.effect("requested tokens are stored by shard", () =>
    Effect.gen(function* () {
      const cache = yield* BookCache
      yield* cache.request(["1", "2", "3", "nonsense"])
      yield* cache.request(["3", "4"])
      assert.sameMembers([...(yield* cache.requested(0)).keys()], ["2", "4"])
      assert.sameMembers([...(yield* cache.requested(1)).keys()], ["1", "3"])
    }),
  )

  it.effect("only the holder of the lease can announce price changes and set baselines", () =>
    Effect.gen(function* () {
      const baselines = yield* Baselines
      const leases = yield* Leases
      const log = yield* EventLog
      const old = yield* leases.seize("shard")
      const token = (2n ** 255n + 7n).toString()
      yield* baselines.announce(old, [], [{ token, mid: 500_000 }])
      const move = { token, bid: 505_000, ask: 515_000, mid: 510_000, previous: 500_000 }
      const lease = yield* leases.seize("shard")
      assert.strictEqual((yield* Effect.flip(baselines.announce(old, [move], [])))._tag, "LeaseLost")
      yield* baselines.announce(lease, [move], [])
      const [stored] = yield* baselines.load([token, "1"])
      assert.deepStrictEqual([stored?.token, stored?.mid], [token, 510_000])
      const events = yield* log.read({ after: 0n, limit: 10, kinds: ["price_change"] })
      assert.deepStrictEqual(
        events.map(({ data }) => data),
        [move],
      )
      yield* baselines.delete(lease, [token])
      assert.isEmpty(yield* baselines.load([token]))
    }),
  )

  it.effect("the top markets are the open ones with the highest volume", () =>
    Effect.gen(function* () {
      const dictionary = yield* Dictionary
      const { sql, reads } = yield* Postgres
      const numbers = yield* dictionary.tokens(Array.from({ length: 10 }, (_, i) => i.toString(16).padStart(64, "0")))
      const ids = [...numbers.values()]
      const put = (id: number, volume: number | null, closed: boolean) => sql`
        insert into market (
          id, tokens, slug, question, outcomes, prices, active, closed, archived, accepting_orders, neg_risk, volume_day
        ) values (
          ${id}, ${JSON.stringify(ids.slice(id * 2, id * 2 + 2))}::text::jsonb, '', '', '[]', '[]', true, ${closed}, false, true, false,
          ${volume}
        )`
      yield* put(0, 5, false)
      yield* put(1, null, false)
      yield* put(2, 100, true)
      yield* put(3, 50, false)
      yield* put(4, 10, false)
      assert.sameMembers([...(yield* BooksStore.topTokens(reads, 2))], ["6", "7", "8", "9"])
      assert.isEmpty(yield* BooksStore.topTokens(reads, 0))
    }),
  )
})
