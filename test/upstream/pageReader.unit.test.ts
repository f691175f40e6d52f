import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { fingerprintOf } from "#src/upstream/gamma/locateRows.ts"
import { pageReader, type RowText } from "#src/upstream/gamma/pageReader.ts"
import { threads } from "#test/support/threads.ts"

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, id) => ({
    id: String(id),
    title: `"Über" ${id} €, ] or }`,
    nested: [[{ id }], "ß"],
  }))

/** With a buffer of its own, as a response has. */
const bytesOf = (text: string) => {
  const bytes = new TextEncoder().encode(text)
  return new Uint8Array(bytes)
}

const textsIn = (rows: unknown) => (rows as ReadonlyArray<RowText>).map(({ text }) => text)

describe("A page of rows", () => {
  for (const [length, count] of [
    ["short", 3],
    ["long, which a thread reads", 20_000],
  ] as const)
    it.effect(`that is ${length} keeps the text of each row and all around them`, () =>
      Effect.gen(function* () {
        const read = yield* pageReader
        const rows = rowsOf(count)
        const page = { total: "€ 5", events: rows, none: [], next_cursor: "ü" }
        const { events, ...rest } = (yield* read(bytesOf(JSON.stringify(page)))) as Omit<typeof page, "events"> & {
          readonly events: ReadonlyArray<RowText>
        }
        assert.deepStrictEqual(rest, { total: "€ 5", none: [], next_cursor: "ü" })
        assert.deepStrictEqual(
          textsIn(events),
          rows.map((row) => JSON.stringify(row)),
        )
        assert.strictEqual(events[0]?.fingerprint, fingerprintOf(JSON.stringify(rows[0])))
        assert.deepStrictEqual(textsIn(yield* read(bytesOf(JSON.stringify(rows)))), textsIn(events))
      }),
    )

  it.effect("that is no JSON fails, however long it is", () =>
    Effect.gen(function* () {
      const read = yield* pageReader
      for (const rows of [rowsOf(3), rowsOf(20_000)]) {
        const text = JSON.stringify({ events: rows })
        for (const broken of [text.slice(0, -5), `${text}]`, text.replace('"events":', '"events"'), `<html>${text}`])
          assert.include(String(yield* Effect.flip(read(bytesOf(broken)))), "SyntaxError")
      }
    }),
  )

  it.effect("that is long is read by one thread, and by another one when that has died", () =>
    Effect.gen(function* () {
      const { started } = yield* threads
      const read = yield* pageReader
      const long = JSON.stringify(rowsOf(20_000))
      const page = Effect.suspend(() => read(bytesOf(long)))
      yield* Effect.all([page, page, page], { concurrency: "unbounded" })
      assert.strictEqual(started.length, 1)
      const waiting = yield* Effect.forkChild(Effect.exit(page))
      yield* Effect.promise(async () => started[0]?.terminate())
      const [exit, next] = [yield* Fiber.join(waiting), yield* Effect.exit(page)]
      assert.lengthOf(textsIn(yield* page), 20_000)
      assert.isTrue([exit, next].some(Exit.isFailure))
      assert.strictEqual(started.length, 2)
    }),
  )
})
