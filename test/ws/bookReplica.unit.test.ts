import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { FollowedBook } from "#src/books/FollowedBook.ts"
import type { BookChange, PublishedBook } from "#src/books/model.ts"
import { Publication } from "#src/books/Publication.ts"
import { BookReplica } from "#ws/books/BookReplica.ts"
import { unlistedNames } from "#ws/books/bookRequest.ts"
import { snapshotBatch } from "#ws/books/frames.ts"
import { BookClient } from "./support/bookClient.ts"
import { makeRecorders } from "./support/recordingSubscriber.ts"

const token = "7"

/** A shard, its state in Redis, and a replica with one subscriber that applies and reads it step by step. */
const makeStage = () => {
  const client = new BookClient(makeRecorders().recorder())
  const replica = new BookReplica(unlistedNames(token), 0)
  const tail: Array<readonly [epoch: string, change: BookChange]> = []
  let [epoch, at, trades] = [1, 0, 0]
  let publication = new Publication(BigInt(epoch))
  let book = new FollowedBook()
  let kept: PublishedBook | undefined
  let [mustRead, isSubscribed] = [true, false]
  let reading: { readonly kept: PublishedBook | undefined } | undefined

  const publish = (bids: ReadonlyArray<number>, traded = 0) => {
    const levels = bids.flatMap((size, index) => (size === 0 ? [] : [{ price: (index + 1) * 10_000, size }]))
    const unknown = { tickSize: undefined, minOrderSize: undefined, lastTradePrice: undefined }
    book.install({ token, condition: "ab", at: ++at, hash: "", bids: levels, asks: [], ...unknown }, at)
    for (let n = 0; n < traded; n++) {
      const number = ++trades
      const trade = { at, token, price: 10_000, size: number, side: "buy", feeRate: "0" } as const
      book.applyTrade({ kind: "trade", ...trade, transaction: `0x${number}` }, at)
    }
    const next = publication.next(token, book)
    publication.confirm([next])
    kept = next.shown?.book
    if (next.change !== undefined) tail.push([String(epoch), next.change])
    return levels
  }
  const applyNext = () => {
    const entry = tail.shift()
    if (entry !== undefined && replica.apply(...entry)) mustRead = true
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
    replica.markMissed()
    mustRead = true
  }
  return {
    client,
    replica,
    publish,
    applyNext,
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
      for (const frame of replica.flush(0)) if (isSubscribed) client.recorder.deliver(frame)
      client.applyAll()
    },
    replaceShard: () => {
      epoch++
      publication = new Publication(BigInt(epoch))
      book = new FollowedBook()
      kept = undefined
      lose()
    },
    subscribe: () => {
      isSubscribed = true
      if (replica.isReady) client.recorder.deliver(snapshotBatch([replica.snapshot], { totalSent: 1, gap: false }))
      else replica.sendWhenReady()
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
  fc.record({ what: fc.constantFrom("applyNext", "beginReading", "endReading", "flush", "applyNext", "applyNext") }),
  fc.record({ what: fc.constantFrom("lose", "replaceShard") }),
)

describe("BookReplica", () => {
  it("subscribers reach the shard's book, however reads and changes interleave", () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 10 }), fc.array(act, { maxLength: 40 }), (before, after) => {
        const stage = makeStage()
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
        stage.subscribe()
        play(after)
        const levels = stage.publish([1, 2, 1])
        while (stage.isBehind()) stage.applyNext()
        stage.read()
        stage.flush()
        const { client } = stage
        assert.deepStrictEqual(
          client.bids(token),
          levels.map(({ price, size }) => ({ price: String(price / 1e6), size: String(size / 1e6) })).toReversed(),
        )
        assert.strictEqual(client.counts.missing, 0)
        const received = client.trades.map(({ size }) => Math.round(Number(size) * 1e6))
        assert.strictEqual(new Set(received).size, received.length)
        const since = Array.from({ length: stage.trades() - known }, (_, index) => known + 1 + index)
        if (isWhole) assert.includeMembers(received, since)
      }),
      { numRuns: 500 },
    )
  })

  it("trades before the first subscriber are not published", () => {
    const stage = makeStage()
    stage.publish([1], 2)
    stage.applyNext()
    stage.publish([2], 1)
    stage.read()
    stage.subscribe()
    stage.applyNext()
    stage.publish([3], 1)
    stage.applyNext()
    stage.flush()
    assert.deepStrictEqual(
      stage.client.trades.map(({ size }) => size),
      ["0.000004"],
    )
    assert.strictEqual(stage.client.bids(token)[0]?.size, "0.000003")
  })
})
