import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { Snapshot } from "#src/leaderboards/BoardQuery.ts"
import { makeSnapshots } from "#src/leaderboards/snapshots.ts"

const snapshot = (version: number, rows = 1): Snapshot<ReadonlyArray<number>> => ({
  version,
  at: version * 1000,
  rows: Array.from({ length: rows }, (_, i) => i),
})

/** Counts how often something is read. */
const reader = () => {
  const reads: Array<string> = []
  const read = (key: string, version: number, rows?: number) =>
    Effect.sync(() => {
      reads.push(`${key} ${version}`)
      return snapshot(version, rows)
    })
  return { reads, read }
}

it.effect("a board is read once for each version", () =>
  Effect.gen(function* () {
    const get = yield* makeSnapshots<ReadonlyArray<number>, never>(100)
    const { reads, read } = reader()
    assert.strictEqual((yield* get("a", 1, read("a", 1))).version, 1)
    assert.strictEqual((yield* get("a", 1, read("a", 1))).version, 1)
    // Whoever reads may see a newer one than was known of.
    assert.strictEqual((yield* get("a", 2, read("a", 3))).version, 3)
    assert.strictEqual((yield* get("a", 2, read("a", 3))).version, 3)
    assert.deepStrictEqual(reads, ["a 1", "a 3"])
  }),
)

it.effect("once a version of one board was seen, no earlier one of another is shown, whatever is known of", () =>
  Effect.gen(function* () {
    const get = yield* makeSnapshots<ReadonlyArray<number>, never>(100)
    const { reads, read } = reader()
    yield* get("a", 1, read("a", 1))
    yield* get("b", 1, read("b", 2))
    assert.strictEqual((yield* get("a", 1, read("a", 2))).version, 2)
    assert.deepStrictEqual(reads, ["a 1", "b 2", "a 2"])
  }),
)

it.effect("those who want the same at once share one reading, which goes on when one of them leaves", () =>
  Effect.gen(function* () {
    const get = yield* makeSnapshots<ReadonlyArray<number>, never>(100)
    const gate = yield* Deferred.make<void>()
    let reads = 0
    const slow = Effect.suspend(() => {
      reads += 1
      return Effect.as(Deferred.await(gate), snapshot(1))
    })
    const [first, second] = [
      yield* Effect.forkChild(get("a", 1, slow), { startImmediately: true }),
      yield* Effect.forkChild(get("a", 1, slow), { startImmediately: true }),
    ]
    yield* Fiber.interrupt(first)
    yield* Deferred.succeed(gate, undefined)
    assert.strictEqual((yield* Fiber.join(second)).version, 1)
    assert.strictEqual((yield* get("a", 1, slow)).version, 1)
    assert.strictEqual(reads, 1)
  }),
)

it.effect("what could not be read is read again", () =>
  Effect.gen(function* () {
    const get = yield* makeSnapshots<ReadonlyArray<number>, "away">(100)
    assert.strictEqual(yield* Effect.flip(get("a", 1, Effect.fail("away"))), "away")
    assert.strictEqual((yield* get("a", 1, Effect.succeed(snapshot(1)))).version, 1)
  }),
)

it.effect("no more rows are kept than there is room for, and what was used longest ago goes first", () =>
  Effect.gen(function* () {
    const get = yield* makeSnapshots<ReadonlyArray<number>, never>(24)
    const { reads, read } = reader()
    const ask = (key: string, rows: number) => get(key, 1, read(key, 1, rows))
    yield* ask("a", 10)
    yield* ask("b", 10)
    yield* ask("a", 10)
    yield* ask("c", 10)
    yield* ask("a", 10)
    assert.deepStrictEqual(reads, ["a 1", "b 1", "c 1"])
    yield* ask("b", 10)
    yield* ask("c", 10)
    assert.deepStrictEqual(reads.slice(3), ["b 1", "c 1"])
    // Boards without rows take room too, or there could be any number of them.
    for (let i = 0; i < 30; i++) yield* ask(`empty ${i}`, 0)
    reads.length = 0
    yield* ask("empty 5", 0)
    yield* ask("empty 29", 0)
    assert.deepStrictEqual(reads, ["empty 5 1"])
    assert.strictEqual((yield* ask("huge", 1_000)).rows.length, 1_000)
  }),
)
