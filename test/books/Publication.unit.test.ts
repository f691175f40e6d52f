import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { CheckedBook } from "#src/books/CheckedBook.ts"
import { FollowedBook } from "#src/books/FollowedBook.ts"
import type { BookTrade, PublishedBook } from "#src/books/model.ts"
import { Publication, type Publishable } from "#src/books/Publication.ts"

const token = "7"

const snapshotOf = (sizes: ReadonlyArray<number>, at: number) => ({
  token,
  condition: "ab",
  at,
  hash: "",
  bids: sizes.flatMap((size, index) => (size === 0 ? [] : [{ price: (index + 1) * 10_000, size }])),
  asks: [{ price: 900_000, size: 1 }],
  tickSize: 10_000,
  minOrderSize: undefined,
  lastTradePrice: undefined,
})

/** A client of the publications: keeps the last full book and applies the changes. */
class Reader {
  shown: PublishedBook | undefined
  #book = new CheckedBook()
  seq = -1
  highest = -1
  trades: Array<BookTrade> = []
  #lastTrade = 0
  fullReads = 0

  receive({ shown, change }: Publishable): void {
    this.shown = shown?.book
    if (change === undefined) return
    assert.isAtLeast(change.seq, this.highest)
    this.highest = change.seq
    change.trades.forEach((trade, index) => {
      if (change.firstTrade + index <= this.#lastTrade) return
      this.#lastTrade = change.firstTrade + index
      this.trades.push(trade)
    })
    if (change.gone !== undefined) return
    if (change.reset || change.prev !== this.seq) {
      this.fullReads++
      this.#book = new CheckedBook()
      this.#book.become(this.shown ?? { bids: [], asks: [] })
    } else for (const level of change.changes) this.#book.set(level)
    this.seq = change.seq
    assert.strictEqual(this.#book.checksum, change.checksum)
  }

  get bids() {
    return this.#book.levels("bid")
  }
}

const step = fc.record({
  sizes: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 3, maxLength: 3 }),
  trades: fc.integer({ min: 0, max: 3 }),
  what: fc.constantFrom(
    "arrives",
    "arrives",
    "arrives",
    "lost",
    "arrives unconfirmed",
    "invalidate",
    "unfollow",
    "lose everything",
  ),
})

describe("Publication", () => {
  it("lets a reader reconstruct every book and see every trade once, whatever publications are lost", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
        const publication = new Publication(3n)
        const reader = new Reader()
        const traded: Array<number> = []
        let followed: FollowedBook | undefined = new FollowedBook()
        let at = 0
        const publish = (fate: string) => {
          const next = publication.next(token, followed)
          if (fate !== "lost") reader.receive(next)
          if (fate === "arrives") publication.confirm([next])
          else publication.markUncertain([token])
        }
        for (const { sizes, trades, what } of steps) {
          at++
          followed ??= new FollowedBook()
          if (what === "unfollow") {
            publish("arrives")
            followed = undefined
            publish("arrives")
            continue
          }
          followed.install(snapshotOf(sizes, at), at)
          for (let n = 0; n < trades; n++) {
            const number = traded.push(traded.length + 1)
            followed.applyTrade(
              {
                kind: "trade",
                at,
                token,
                price: 10_000,
                size: number,
                side: "buy",
                feeRate: "0",
                transaction: `0x${number}`,
              },
              at,
            )
          }
          if (what === "invalidate") followed.invalidate()
          if (what === "lose everything") publication.markAllUncertain()
          publish(what === "invalidate" || what === "lose everything" ? "arrives" : what)
        }
        followed ??= new FollowedBook()
        followed.install(snapshotOf([1, 2, 3], at + 1), at + 1)
        publish("arrives")
        assert.deepStrictEqual(reader.bids, snapshotOf([1, 2, 3], 0).bids.toReversed())
        assert.strictEqual(reader.shown?.seq, reader.seq)
        assert.deepStrictEqual(
          reader.trades.map(({ size }) => size),
          traded,
        )
      }),
      { numRuns: 300 },
    )
  })

  it("publishes only changes while everything arrives, even if the book was invalid in between", () => {
    const publication = new Publication(3n)
    const reader = new Reader()
    const followed = new FollowedBook()
    const publish = () => {
      const next = publication.next(token, followed)
      reader.receive(next)
      publication.confirm([next])
      return next.change
    }
    followed.install(snapshotOf([1, 1, 1], 1), 1)
    assert.deepInclude(publish(), { prev: 0, seq: 1, reset: true })
    followed.install(snapshotOf([1, 2, 0], 2), 2)
    assert.deepInclude(publish(), {
      prev: 1,
      seq: 2,
      changes: [
        ["bid", 30_000, 0],
        ["bid", 20_000, 2],
      ],
    })
    assert.isUndefined(publish())
    followed.invalidate()
    assert.deepInclude(publish(), { prev: 2, seq: 2, gone: "unsure" })
    assert.isUndefined(publish())
    followed.markTradesMissed()
    followed.install(snapshotOf([1, 2, 1], 3), 3)
    assert.deepInclude(publish(), { prev: 2, seq: 3, changes: [["bid", 30_000, 1]], missed: true })
    assert.strictEqual(reader.fullReads, 1)
  })

  it("publishes a repeated trade once, and equal trades without a transaction each", () => {
    const followed = new FollowedBook()
    const trade = { kind: "trade", at: 1, token, price: 1, size: 1, side: "buy", feeRate: undefined } as const
    for (const transaction of ["0x1", "0x1", "0x2", undefined, undefined])
      followed.applyTrade({ ...trade, transaction }, 1)
    assert.deepStrictEqual(
      followed.takeTrades().trades.map(({ transaction }) => transaction),
      ["0x1", "0x2", null, null],
    )
    assert.deepStrictEqual(followed.takeTrades(), { trades: [], hasMissed: false })
  })
})
