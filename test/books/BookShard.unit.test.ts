import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { BookShard, type FeedConnection } from "#src/books/BookShard.ts"
import { marketSocket } from "#src/simulator/clob/socket/marketSocket.ts"
import type { WireSocket } from "#src/simulator/wire.ts"
import { readBook, WireBook } from "#src/upstream/clob/bookWire.ts"
import type { BookSnapshot } from "#src/upstream/clob/model.ts"
import { decodeFrame } from "#src/upstream/clob/socketWire.ts"
import { served } from "#test/simulator/clobWorld.ts"
import { busyMarkets, tokensOf } from "./busyMarkets.ts"

const { sim, post } = served(41)
sim.setRate(50)
const connect = marketSocket(sim)
const tokens = tokensOf(sim, busyMarkets(sim, 4))

const shownBooks = (): ReadonlyArray<BookSnapshot> =>
  Schema.decodeUnknownSync(Schema.Array(WireBook))(
    post(
      "/books",
      tokens.map((token) => ({ token_id: token })),
    ),
  ).map(readBook)

/** A shard that receives the messages of the venue through `wire`, which may tamper with them, on the clock of the venue. */
const connectedShard = (
  wire: (text: string, deliver: (text: string) => void) => void = (text, deliver) => deliver(text),
) => {
  const shard = new BookShard()
  const { added } = shard.follow(new Set(tokens), sim.now())
  const [connection] = added as [FeedConnection]
  const socket: WireSocket = {
    send: (text) => wire(text, (delivered) => shard.received(connection, decodeFrame(delivered), sim.now())),
    close: () => undefined,
    onMessage: () => undefined,
    onClose: () => undefined,
  }
  connect(socket, { method: "GET", path: "/", query: new URLSearchParams(), target: "/", headers: {}, body: "" })
  shard.opened(connection, sim.now())
  socket.onMessage(JSON.stringify({ type: "market", assets_ids: tokens, custom_feature_enabled: true }))
  const resync = () => {
    const requests = shard.takeRequests(sim.now())
    const books = new Map(shownBooks().map((book) => [book.token, book]))
    for (const request of requests) shard.receiveSnapshot(request, books.get(request.token), sim.now())
    return requests.map(({ reason }) => reason)
  }
  return { shard, connection, resync, close: () => socket.onClose() }
}

const assertEqual = (shard: BookShard) => {
  for (const { token, bids, asks, lastTradePrice } of shownBooks()) {
    const book = shard.book(token)
    assert.deepStrictEqual(book?.depth()?.bids, bids)
    assert.deepStrictEqual(book?.depth()?.asks, asks)
    const quote = book?.quote()
    assert.deepStrictEqual(
      [quote?.bid, quote?.ask, quote?.lastTrade?.price],
      [bids[0]?.price ?? null, asks[0]?.price ?? null, lastTradePrice],
    )
  }
}

const isSoak = process.env.PRESAGE_SOAK === "1"

const advances = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 10 })

// Fixed: not every seed produces every reason for a resync. SEED selects another one.
const seed = Number(process.env.SEED ?? 1)

describe("BookShard", () => {
  it("knows since when the venue is silent, whatever it publishes itself", () => {
    const shard = new BookShard()
    assert.strictEqual(shard.heardAt(500), 500)
    const many = Array.from({ length: 501 }, (_, number) => String(number))
    const { added } = shard.follow(new Set(many), 1_000)
    const [first, second] = added as [FeedConnection, FeedConnection]
    assert.strictEqual(shard.heardAt(9_000), 1_000)
    shard.opened(first, 2_000)
    shard.opened(second, 3_000)
    shard.heard(second, 40_000)
    // The books of the first connection are shown, and nothing is known of them since.
    assert.strictEqual(shard.heardAt(41_000), 2_000)
    shard.received(first, decodeFrame("[]"), 42_000)
    assert.strictEqual(shard.heardAt(43_000), 40_000)
    // Its books are no longer shown.
    shard.closed(second)
    assert.strictEqual(shard.heardAt(44_000), 42_000)
    shard.closed(first)
    assert.strictEqual(shard.heardAt(90_000), 42_000)
  })

  it("always equals the venue's books and never resyncs while messages arrive in order", () => {
    let deltas = 0
    fc.assert(
      fc.property(advances, (steps) => {
        const { shard, resync, close } = connectedShard()
        assertEqual(shard)
        for (const millis of steps) {
          sim.advance(millis)
          assertEqual(shard)
        }
        for (const book of shownBooks()) assert.isFalse(shard.audit(book))
        assert.deepStrictEqual(resync(), [])
        assertEqual(shard)
        deltas += shard.deltas
        close()
      }),
      { seed, numRuns: isSoak ? 30 : 4, endOnFailure: true },
    )
    assert.isAbove(deltas, isSoak ? 1_000 : 100)
  })

  it("ignores duplicate messages", () => {
    fc.assert(
      fc.property(advances, (steps) => {
        const { shard, resync, close } = connectedShard((text, deliver) => {
          deliver(text)
          deliver(text)
        })
        for (const millis of steps) {
          sim.advance(millis)
          assertEqual(shard)
        }
        assert.deepStrictEqual(resync(), [])
        close()
      }),
      { seed, numRuns: isSoak ? 20 : 3, endOnFailure: true },
    )
  })

  it("recovers from lost, broken and out-of-order messages", () => {
    const trouble = fc.constantFrom("none", "none", "none", "lost", "broken", "late")
    const reasons = new Set<string>()
    fc.assert(
      fc.property(advances, fc.array(trouble, { minLength: 5, maxLength: 40 }), (steps, troubles) => {
        let index = 0
        let late: Array<() => void> = []
        const { shard, resync, close } = connectedShard((text, deliver) => {
          const what = troubles[index++ % troubles.length]
          if (what === "late") late.push(() => deliver(text))
          else if (what !== "lost") deliver(what === "broken" ? text.slice(0, text.length / 2) : text)
        })
        for (const millis of steps) {
          const overdue = late
          late = []
          sim.advance(millis)
          for (const arrive of overdue) arrive()
          for (const reason of resync()) reasons.add(reason)
        }
        for (const arrive of late) arrive()
        // Only an audit can find the remaining differences; while nothing changes, two audits are enough.
        sim.advance(1_000)
        for (let audits = 0; audits < 2; audits++) {
          for (const book of shownBooks()) shard.audit(book)
          for (const reason of resync()) reasons.add(reason)
        }
        for (const reason of resync()) reasons.add(reason)
        assertEqual(shard)
        close()
      }),
      { seed, numRuns: isSoak ? 300 : 40, endOnFailure: true },
    )
    for (const reason of ["unreadable", "no-snapshot", "out-of-order", "best-disagrees", "differs", "behind"]) {
      assert.include([...reasons], reason)
    }
  })

  it("hides books while their connection is down and resyncs them after a reconnect", () => {
    const { shard, connection, resync, close } = connectedShard()
    assertEqual(shard)
    shard.closed(connection)
    for (const token of tokens) assert.isUndefined(shard.book(token)?.quote())
    assert.deepStrictEqual(resync(), [])
    shard.opened(connection, sim.now())
    assert.deepStrictEqual(new Set(resync()), new Set(["reconnect"]))
    assertEqual(shard)
    close()
  })

  it("spreads tokens over connections and removes those without tokens", () => {
    const shard = new BookShard()
    const many = Array.from({ length: 1_150 }, (_, i) => String(i + 1))
    const first = shard.follow(new Set(many), 0)
    assert.deepStrictEqual(
      first.added.map(({ feed }) => feed.tokens.size),
      [500, 500, 150],
    )
    const second = shard.follow(new Set(many.slice(100, 500)), 0)
    assert.deepStrictEqual([second.added.length, second.removed.length, second.unfollowed.length], [0, 2, 750])
    const third = shard.follow(new Set(many.slice(0, 510)), 0)
    assert.deepStrictEqual([third.added.length, third.removed.length, third.unfollowed.length], [1, 0, 0])
    assert.deepStrictEqual(
      [...shard.connections].map(({ feed }) => feed.tokens.size),
      [500, 10],
    )
  })

  it("drops the books of a resolved market and requests them again only after a pause", () => {
    const { shard, connection, close } = connectedShard()
    const [token = "", other = ""] = tokens
    const resolved = { condition: "", tokens: [token], at: sim.now(), winner: undefined }
    shard.received(connection, { events: [{ kind: "resolved", ...resolved }], unknown: [], broken: [] }, sim.now())
    assert.isUndefined(shard.book(token)?.quote())
    assert.isDefined(shard.book(other)?.quote())
    assert.deepStrictEqual(shard.takeRequests(sim.now() + 2_000), [])
    assert.deepStrictEqual(
      shard.takeRequests(sim.now() + 11_000).map((request) => request.token),
      [token],
    )
    close()
  })
})
