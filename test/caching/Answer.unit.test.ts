import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Answer, timesOf } from "#src/caching/Answer.ts"
import { fromStored, toStored } from "#src/caching/SharedAnswers.ts"
import { nextBoundary } from "#test/support/nextBoundary.ts"

const window = 300_000
const moment = fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 })
const span = fc.nat(900_000)

describe("Times of an answer", () => {
  it("never exceed the window in which the load started, and are otherwise as long as allowed", () =>
    fc.assert(
      fc.property(moment, fc.nat(10_000), span, span, (startedAt, took, freshFor, staleFor) => {
        const until = nextBoundary(window)
        const end = until(startedAt)
        assert.isTrue(end > startedAt && end - startedAt <= window && end % window === 0)
        const bounded = timesOf({ freshFor, staleFor, until }, startedAt, startedAt + took, {})
        const free = timesOf({ freshFor, staleFor }, startedAt, startedAt + took, {})
        assert.strictEqual(free.freshUntil, startedAt + took + freshFor)
        assert.strictEqual(free.staleUntil, free.freshUntil + staleFor)
        assert.strictEqual(bounded.freshUntil, Math.min(free.freshUntil, end))
        assert.strictEqual(bounded.staleUntil, Math.min(free.staleUntil, end))
        assert.strictEqual(bounded.isBounded, free.freshUntil >= end)
      }),
    ))

  const times = { storedAt: 100_000, freshUntil: 110_000, staleUntil: 130_000, dataAt: 99_000, isBounded: false }

  it("end on time, and earlier when the clock is set back", () => {
    const answer = new Answer(Buffer.from("1"), times)
    assert.deepStrictEqual(
      [94_999, 95_000, 100_000, 109_999, 110_000, 129_999, 130_000].map((now) => [
        answer.isFresh(now),
        answer.isUsable(now),
      ]),
      [
        [false, false],
        [true, true],
        [true, true],
        [true, true],
        [false, true],
        [false, true],
        [false, false],
      ],
    )
  })

  it("are due for refresh shortly before their end, for popular answers without a window", () => {
    const answer = new Answer(Buffer.from("1"), times)
    const bounded = new Answer(Buffer.from("1"), { ...times, isBounded: true })
    assert.isFalse(answer.isDue(109_500))
    answer.hits = bounded.hits = 100
    assert.deepStrictEqual(
      [108_999, 109_000].map((now) => answer.isDue(now)),
      [false, true],
    )
    assert.isFalse(bounded.isDue(109_500))
  })

  it("survive a round trip through Redis, and other data are not read as an answer", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.option(moment, { nil: undefined }), fc.boolean(), (bytes, dataAt, isBounded) => {
        const answer = new Answer(Buffer.from(bytes), { ...times, dataAt, isBounded })
        const read = fromStored(toStored(answer))
        assert.deepStrictEqual([read?.bytes, read?.times, read?.tag], [answer.bytes, answer.times, answer.tag])
      }),
    )
    for (const text of ["", "\n", "{}", "1 2 3\n{}", "1 2 3 x 0 tag\n", "1 2 3 - 0 tag"]) {
      assert.isUndefined(fromStored(Buffer.from(text)))
    }
    fc.assert(fc.property(fc.uint8Array(), (bytes) => fromStored(Buffer.from(bytes)) === undefined))
  })
})
