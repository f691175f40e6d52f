import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { Snapshot } from "#src/leaderboards/BoardQuery.ts"
import { makeSnapshots } from "#src/leaderboards/snapshots.ts"

const snapshot = (version: number, rows = 1): Snapshot<ReadonlyArray<number>> => ({
  version,
  at: version * 1000,
  rows: Array.from({ length: rows }, (_, i) => i),
})

/** Records what is read. */
const reader = () => {
  const reads: Array<string> = []
  const read = (key: string, version: number, rows?: number) =>
    Effect.sync(() => {
      reads.push(`${key} ${version}`)
      return snapshot(version, rows)
    })
  return { reads, read }
}

it.effect("a board is read once per version", () =>
  Effect.gen(function* () {
    const get = yield* makeSnapshots<ReadonlyArray<number>, never>(100)
    const { reads, read } = reader()
    assert.strictEqual((yield* get("a", 1, read("a", 1))).version, 1)
    assert.strictEqual((yield* get("a", 1, read("a", 1))).version, 1)
    // A read may return a newer version than the known one.
    assert.strictEqual((yield* get("a", 2, read("a", 3))).version, 3)
    assert.strictEqual((yield* get("a", 2, read("a", 3))).version, 3)
    assert.deepStrictEqual(reads, ["a 1", "a 3"])
  }),
)

it.effect("after a version of one board was served, no earlier version of another board is", () =>
  Effect.gen(function* () {
    const get = yield* makeSnapshots<ReadonlyArray<number>, never>(100)
    const { reads, read } = reader()
    yield* get("a", 1, read("a", 1))
    yield* get("b", 1, read("b", 2))
    assert.strictEqual((yield* get("a", 1, read("a", 2))).version, 2)
    assert.deepStrictEqual(reads, ["a 1", "b 2", "a 2"])
  }),
)

it.effect("concurrent requests share one read, which continues when one of them leaves", () =>
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

it.effect("a failed read is repeated", () =>
  Effect.gen(function* () {
    const get = yield* makeSnapshots<ReadonlyArray<number>, "unavailable">(100)
    assert.strictEqual(yield* Effect.flip(get("a", 1, Effect.fail("unavailable"))), "unavailable")
    assert.strictEqual((yield* get("a", 1, Effect.succeed(snapshot(1)))).version, 1)
  }),
)

it.effect("the number of cached rows is limited, and the least recently used boards are evicted first", () =>
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
    // Empty boards also count, so that their number is limited.
    for (let i = 0; i < 30; i++) yield* ask(`empty ${i}`, 0)
    reads.length = 0
    yield* ask("empty 5", 0)
    yield* ask("empty 29", 0)
    assert.deepStrictEqual(reads, ["empty 5 1"])
    assert.strictEqual((yield* ask("huge", 1_000)).rows.length, 1_000)
  }),
)
