import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { FollowedBook } from "#src/books/FollowedBook.ts"
import type { BookChange, KeptBook } from "#src/books/model.ts"
import { Publication } from "#src/books/Publication.ts"
import { unlisted } from "#ws/books/asked.ts"
import { snapshotBatch } from "#ws/books/frames.ts"
import { Replica } from "#ws/books/Replica.ts"
import { BookFollower } from "./support/bookFollower.ts"
import { makeRoom } from "./support/recorder.ts"

const token = "7"

/** A shard, what Redis has of it, and a replica that hears and reads it in its own time, for one who listens. */
const staged = () => {
  const follower = new BookFollower(makeRoom().recorder())
  const replica = new Replica(unlisted(token), 0)
  const tail: Array<readonly [epoch: string, change: BookChange]> = []
  let [epoch, at, trades] = [1, 0, 0]
  let publication = new Publication(BigInt(epoch))
  let book = new FollowedBook()
  let kept: KeptBook | undefined
  let [mustRead, isListening] = [true, false]
  let reading: { readonly kept: KeptBook | undefined } | undefined

  const publish = (bids: ReadonlyArray<number>, traded = 0) => {
    const levels = bids.flatMap((size, place) => (size === 0 ? [] : [{ price: (place + 1) * 10_000, size }]))
    const unknown = { tickSize: undefined, smallestOrder: undefined, lastTradePrice: undefined }
    book.install({ token, condition: "ab", at: ++at, hash: "", bids: levels, asks: [], ...unknown }, at)
    for (let n = 0; n < traded; n++) {
      const number = ++trades
      const trade = { at, token, price: 10_000, size: number, side: "buy", feeRate: "0" } as const
      book.tellTrade({ kind: "trade", ...trade, transaction: `0x${number}` })
    }
    const next = publication.next(token, book)
    publication.settle([next])
    kept = next.shown?.book
    if (next.change !== undefined) tail.push([String(epoch), next.change])
    return levels
  }
  const hear = () => {
    const entry = tail.shift()
    if (entry !== undefined && replica.hear(...entry)) mustRead = true
  }
  const beginReading = () => {
    if (!mustRead || reading !== undefined) return
    mustRead = false
    replica.beginReading()
    reading = { kept }
  }
  const endReading = () => {
    if (reading !== undefined && replica.install(reading.kept)) mustRead = true
    reading = undefined
  }
  const lose = () => {
    tail.length = 0
    replica.miss()
    mustRead = true
  }
  return {
    follower,
    replica,
    publish,
    hear,
    beginReading,
    endReading,
    lose,
    read: () => {
      endReading()
      for (let n = 0; n < 5 && mustRead; n++) {
        beginReading()
        endReading()
      }
    },
    isBehind: () => tail.length > 0,
    flush: () => {
      for (const frame of replica.flush(0)) if (isListening) follower.recorder.deliver(frame)
      follower.follow()
    },
    replaceShard: () => {
      epoch++
      publication = new Publication(BigInt(epoch))
      book = new FollowedBook()
      kept = undefined
      lose()
    },
    listen: () => {
      isListening = true
      if (replica.isReady) follower.recorder.deliver(snapshotBatch([replica.snapshot], { totalSent: 1, gap: false }))
      else replica.await()
    },
    trades: () => trades,
  }
}

const act = fc.oneof(
  fc.record({
    what: fc.constant("publish" as const),
    bids: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 3, maxLength: 3 }),
    traded: fc.integer({ min: 0, max: 2 }),
  }),
  fc.record({ what: fc.constantFrom("hear", "beginReading", "endReading", "flush", "hear", "hear") }),
  fc.record({ what: fc.constantFrom("lose", "replaceShard") }),
)

describe("A replica of an order book", () => {
  it("leads whoever listens to the shard's book, however reading and hearing interleave", () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 10 }), fc.array(act, { maxLength: 40 }), (before, after) => {
        const stage = staged()
        let isWhole = true
        const play = (acts: typeof before) => {
          for (const each of acts) {
            if ("bids" in each) stage.publish(each.bids, each.traded)
            else stage[each.what]()
            if (each.what === "lose" || each.what === "replaceShard") isWhole = false
          }
        }
        play(before)
        const known = stage.trades()
        isWhole = true
        stage.listen()
        play(after)
        const levels = stage.publish([1, 2, 1])
        while (stage.isBehind()) stage.hear()
        stage.read()
        stage.flush()
        const { follower } = stage
        assert.deepStrictEqual(
          follower.bids(token),
          levels.map(({ price, size }) => ({ price: String(price / 1e6), size: String(size / 1e6) })).toReversed(),
        )
        assert.strictEqual(follower.counts.missing, 0)
        const heard = follower.trades.map(({ size }) => Math.round(Number(size) * 1e6))
        assert.strictEqual(new Set(heard).size, heard.length)
        const since = Array.from({ length: stage.trades() - known }, (_, place) => known + 1 + place)
        if (isWhole) assert.includeMembers(heard, since)
      }),
      { numRuns: 500 },
    )
  })

  it("does not tell trades as news that were before the first who listens", () => {
    const stage = staged()
    stage.publish([1], 2)
    stage.hear()
    stage.publish([2], 1)
    stage.read()
    stage.listen()
    stage.hear()
    stage.publish([3], 1)
    stage.hear()
    stage.flush()
    assert.deepStrictEqual(
      stage.follower.trades.map(({ size }) => size),
      ["0.000004"],
    )
    assert.strictEqual(stage.follower.bids(token)[0]?.size, "0.000003")
  })
})
