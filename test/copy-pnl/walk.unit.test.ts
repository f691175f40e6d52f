import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { codeOf, type FactColumns } from "#src/copy-pnl/copyPnl.ts"
import type { TimeRange } from "#src/copy-pnl/historyPages.ts"
import { walk } from "#src/copy-pnl/walk.ts"

const until = 1_000_000
const options = { until, afters: [until - 10, until - 20, until - 40], size: 2, time: Duration.seconds(180) }

/** Sales of 1.00 at these times. */
const sales = (...times: ReadonlyArray<number>): FactColumns => ({
  count: times.length,
  at: Float64Array.from(times),
  kind: new Uint8Array(times.length).fill(codeOf("sell")),
  shares: new Float64Array(times.length).fill(2_000_000),
  usd: new Float64Array(times.length).fill(1_000_000),
})

/** Returns these pages one after the other, then never answers; records the requested ranges. */
const reader = (...pages: ReadonlyArray<FactColumns>) => {
  const asked: Array<TimeRange> = []
  const read = (range: TimeRange) => {
    asked.push(range)
    const page = pages[asked.length - 1]
    return page === undefined ? Effect.never : Effect.succeed(page)
  }
  return { asked, read }
}

const inTime = (pages: ReturnType<typeof reader>) =>
  Effect.gen(function* () {
    const walking = yield* Effect.forkChild(walk(pages.read, options))
    yield* TestClock.adjust("180 seconds")
    return yield* Fiber.join(walking)
  })

const shown = (walked: Effect.Success<ReturnType<typeof inTime>>) =>
  walked.scores.map(({ trades, partial }) => [trades, partial])

describe("walk", () => {
  it.effect("continues before the oldest fact of a page until a page is not full", () =>
    Effect.gen(function* () {
      const pages = reader(sales(until, until - 5), sales(until - 9, until - 12), sales(until - 39))
      assert.deepStrictEqual(shown(yield* inTime(pages)), [
        [3, false],
        [4, false],
        [5, false],
      ])
      assert.deepStrictEqual(
        pages.asked,
        [until + 1, until - 5, until - 12].map((before) => ({ after: until - 40, before })),
      )
    }),
  )

  it.effect("ends at its time limit: complete windows are scored in full, the others in part", () =>
    Effect.gen(function* () {
      const pages = reader(sales(until, until - 5), sales(until - 9, until - 12))
      assert.deepStrictEqual(shown(yield* inTime(pages)), [
        [3, false],
        [4, true],
        [4, true],
      ])
    }),
  )

  it.effect("fails if nothing was read in time", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(inTime(reader()))
      assert.strictEqual(error.message, "timeout_180s")
    }),
  )

  it.effect("is complete for a wallet without facts", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(shown(yield* inTime(reader(sales()))), [
        [0, false],
        [0, false],
        [0, false],
      ])
    }),
  )
})
