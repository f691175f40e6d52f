import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { SharedRuns } from "#src/mesh/SharedRuns.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { keysLeft, readToEnd, steppedRun } from "./support/sharedRuns.ts"

/** Small chunks, which are not packed, and large ones that pack well or badly. */
const sizes = [1, 900, 1_024, 70_000, 1_000_000, 3, 300_000]
const texts = sizes.map((size, i) =>
  i % 2 === 0 ? `${i}`.repeat(size) : randomBytes(size).toString("hex").slice(0, size),
)

const world = SharedRuns.layer.pipe(Layer.provideMerge(testFoundation()))

layer(world, { excludeTestServices: true })("The chunks of a run", (it) => {
  it.effect("reach concurrent readers unchanged, whatever their size", () =>
    Effect.gen(function* () {
      const { join, startWork } = yield* steppedRun("sizes")
      const joined = yield* Effect.all(Array.from({ length: 4 }, () => join))
      const work = yield* startWork
      const reading = yield* Effect.forkScoped(Effect.forEach(joined, readToEnd, { concurrency: "unbounded" }))
      for (const text of texts) yield* work.append(text, null)
      yield* work.finish("all")
      for (const { text, end } of yield* Fiber.join(reading)) {
        assert.strictEqual(end, "all")
        assert.isTrue(text === texts.join(""))
      }
    }).pipe(Effect.scoped),
  )

  it.effect("reach a reader unchanged after its connection broke", () =>
    Effect.gen(function* () {
      const { join, startWork } = yield* steppedRun("broken off")
      const redis = yield* Redis
      const joined = yield* join
      const work = yield* startWork
      for (const text of texts) yield* work.append(text, null)
      const first = Option.getOrThrow(yield* joined.next)
      const clients = yield* redis.run((client) => client.client("LIST"))
      const ids = [...String(clients).matchAll(/^id=(\d+) .* name=presage-pieces /gm)].map(([, id = ""]) => id)
      assert.isAbove(ids.length, 0)
      for (const id of ids) yield* redis.run((client) => client.client("KILL", "ID", id))
      yield* work.finish("all")
      const { text, end } = yield* readToEnd(joined)
      assert.strictEqual(end, "all")
      assert.isTrue(`${first}${text}` === texts.join(""))
    }).pipe(Effect.scoped),
  )

  it.effect("count as lost when another writer has overwritten them", () =>
    Effect.gen(function* () {
      const { join, startWork } = yield* steppedRun("broken")
      const redis = yield* Redis
      const joined = yield* join
      const work = yield* startWork
      yield* work.append("a ".repeat(2000))
      const [key = ""] = (yield* keysLeft("broken")).filter((name) => name.endsWith(":chunks"))
      yield* redis.run((client) => client.lset(key, 0, "not a packed chunk"))
      assert.strictEqual((yield* Effect.flip(joined.next))._tag, "SharedRunLost")
    }).pipe(Effect.scoped),
  )
})
