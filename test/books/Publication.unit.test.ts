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
  bids: sizes.flatMap((size, place) => (size === 0 ? [] : [{ price: (place + 1) * 10_000, size }])),
  asks: [{ price: 900_000, size: 1 }],
  tickSize: 10_000,
  smallestOrder: undefined,
  lastTradePrice: undefined,
})

/** What reads the publications: keeps the whole book that was shown last, and follows the changes. */
class Reader {
  shown: PublishedBook | undefined
  #book = new CheckedBook()
  seq = -1
  highest = -1
  trades: Array<BookTrade> = []
  #tradesHeard = 0
  wholeReads = 0

  hear({ shown, change }: Publishable): void {
    this.shown = shown?.book
    if (change === undefined) return
    assert.isAtLeast(change.seq, this.highest)
    this.highest = change.seq
    change.trades.forEach((trade, place) => {
      if (change.firstTrade + place <= this.#tradesHeard) return
      this.#tradesHeard = change.firstTrade + place
      this.trades.push(trade)
    })
    if (change.gone !== undefined) return
    if (change.reset || change.prev !== this.seq) {
      this.wholeReads++
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
    "is lost",
    "arrives without answer",
    "doubt",
    "leave",
    "lose all",
  ),
})

describe("What a shard publishes of a book", () => {
  it("leads a reader from book to book and through every trade once, whatever is lost on the way", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
        const publication = new Publication(3n)
        const reader = new Reader()
        const traded: Array<number> = []
        let followed: FollowedBook | undefined = new FollowedBook()
        let at = 0
        const publish = (fate: string) => {
          const next = publication.next(token, followed)
          if (fate !== "is lost") reader.hear(next)
          if (fate === "arrives") publication.settle([next])
          else publication.invalidate([token])
        }
        for (const { sizes, trades, what } of steps) {
          at++
          followed ??= new FollowedBook()
          if (what === "leave") {
            publish("arrives")
            followed = undefined
            publish("arrives")
            continue
          }
          followed.install(snapshotOf(sizes, at), at)
          for (let n = 0; n < trades; n++) {
            const number = traded.push(traded.length + 1)
            followed.applyTrade({
              kind: "trade",
              at,
              token,
              price: 10_000,
              size: number,
              side: "buy",
              feeRate: "0",
              transaction: `0x${number}`,
            })
          }
          if (what === "doubt") followed.invalidate()
          if (what === "lose all") publication.markAllUncertain()
          publish(what === "doubt" || what === "lose all" ? "arrives" : what)
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

  it("is told by its changes alone while everything arrives, also where the book was in doubt meanwhile", () => {
    const publication = new Publication(3n)
    const reader = new Reader()
    const followed = new FollowedBook()
    const publish = () => {
      const next = publication.next(token, followed)
      reader.hear(next)
      publication.settle([next])
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
    assert.strictEqual(reader.wholeReads, 1)
  })

  it("tells a trade once that the venue tells twice, and two that are alike but have no name", () => {
    const followed = new FollowedBook()
    const trade = { kind: "trade", at: 1, token, price: 1, size: 1, side: "buy", feeRate: undefined } as const
    for (const transaction of ["0x1", "0x1", "0x2", undefined, undefined]) followed.applyTrade({ ...trade, transaction })
    assert.deepStrictEqual(
      followed.takeTrades().trades.map(({ transaction }) => transaction),
      ["0x1", "0x2", null, null],
    )
    assert.deepStrictEqual(followed.takeTrades(), { trades: [], hasMissed: false })
  })
})
