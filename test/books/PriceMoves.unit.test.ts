import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { Quote } from "#src/books/model.ts"
import { PriceMoves } from "#src/books/PriceMoves.ts"

const quoteAt = (mid: number | null): Quote => ({
  bid: mid === null ? null : mid - 500,
  ask: mid === null ? null : mid + 500,
  mid,
  spread: mid === null ? null : 1_000,
  lastTrade: null,
  tickSize: 1_000,
  updatedAt: 0,
})

const threshold = 10_000

describe("PriceMoves", () => {
  const steps = fc.array(
    fc.record({
      wait: fc.integer({ min: 0, max: 1_500 }),
      mid: fc.option(fc.integer({ min: 400_000, max: 430_000 })),
    }),
    { minLength: 1, maxLength: 60 },
  )

  it("announces a midpoint that moved by the threshold, at most once a second, measured from the last announced one", () => {
    fc.assert(
      fc.property(steps, (list) => {
        const moves = new PriceMoves()
        let [now, announcedAt] = [1_000_000, 0]
        let last: number | undefined
        for (const { wait, mid } of list) {
          now += wait
          moves.changed("1")
          const due = moves.due(() => quoteAt(mid), threshold, now)
          const isDue =
            mid !== null && last !== undefined && Math.abs(mid - last) >= threshold && now - announcedAt >= 1_000
          assert.deepStrictEqual(
            due.moves.map(({ mid: to, previous }) => [to, previous]),
            isDue ? [[mid, last as number]] : [],
          )
          assert.deepStrictEqual(due.first, mid !== null && last === undefined ? [{ token: "1", mid }] : [])
          moves.confirm(due, now)
          if (isDue) announcedAt = now
          if (mid !== null && (isDue || last === undefined)) last = mid
        }
      }),
    )
  })

  it("defers a move within the same second and announces it only if it lasts", () => {
    const announced = (later: number) => {
      const moves = new PriceMoves()
      moves.load([{ token: "1", mid: 400_000, setAt: 0 }])
      moves.changed("1")
      moves.confirm(
        moves.due(() => quoteAt(420_000), threshold, 5_000),
        5_000,
      )
      moves.changed("1")
      assert.isEmpty(moves.due(() => quoteAt(440_000), threshold, 5_500).moves)
      // The price has stayed, or moved back.
      return moves.due(() => quoteAt(later), threshold, 6_000).moves.map(({ mid, previous }) => [mid, previous])
    }
    assert.deepStrictEqual(announced(440_000), [[440_000, 420_000]])
    assert.deepStrictEqual(announced(421_000), [])
  })

  it("does not announce a move again after the baselines were cleared and loaded", () => {
    const moves = new PriceMoves()
    moves.load([{ token: "1", mid: 400_000, setAt: 0 }])
    moves.changed("1")
    moves.clearBaselines()
    assert.deepStrictEqual(moves.withoutBaseline(), ["1"])
    moves.load([{ token: "1", mid: 420_000, setAt: 0 }])
    assert.isEmpty(moves.due(() => quoteAt(420_000), threshold, 9_000).moves)
  })
})
