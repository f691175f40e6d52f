import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { SharedRuns } from "#src/mesh/SharedRuns.ts"
import { makeSharedRunStore } from "#src/mesh/shared-runs/SharedRunStore.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { keysLeft, readToEnd, steppedRun } from "./support/sharedRuns.ts"

const held = Effect.scoped(Effect.flatMap(makeSharedRunStore, ({ bytes }) => bytes))

/** Bytes in the lists of all runs. */
const stored = Effect.flatMap(Redis, (redis) =>
  redis.run(async (client) => {
    let sum = 0
    for (const key of await client.keys(`${redis.prefix}:flights:{*:chunks`))
      for (const chunk of await client.lrangeBuffer(key, 0, -1)) sum += chunk.length
    return sum
  }),
)

/** The counted bytes equal the stored ones. */
const holding = Effect.gen(function* () {
  const bytes = yield* held
  assert.strictEqual(bytes, yield* stored)
  return bytes
})

const nothingHeld = Effect.gen(function* () {
  assert.strictEqual(yield* holding, 0)
  const redis = yield* Redis
  assert.deepStrictEqual(yield* redis.run((client) => client.keys(`${redis.prefix}:flights:held*`)), [])
})

/** Simulates its expiry. */
const expire = Effect.fnUntraced(function* (name: string, id: string) {
  const redis = yield* Redis
  const names = yield* keysLeft(name)
  const { ends } = keys(redis.prefix).sharedRunsHeld
  yield* redis.run((client) =>
    client
      .multi()
      .del(...names)
      .zadd(ends, 1, id)
      .exec(),
  )
})

const refused = <A, R>(join: Effect.Effect<A, { readonly _tag: string }, R>) =>
  Effect.map(Effect.flip(Effect.scoped(join)), ({ _tag }) => assert.strictEqual(_tag, "SharedRunsFull"))
const allowed = <A, E>(join: Effect.Effect<A, E, Scope.Scope>) => Effect.asVoid(Effect.scoped(join))

layer(SharedRuns.layer.pipe(Layer.provideMerge(testFoundation())), { excludeTestServices: true })(
  "The bytes held by all runs",
  (it) => {
    it.effect("limit new runs in all processes, but not joining an existing one", () =>
      Effect.gen(function* () {
        const big = yield* steppedRun("big", 1000)
        const small = yield* steppedRun("small", 1000)
        const elsewhere = yield* Layer.build(Layer.fresh(SharedRuns.layer))
        const [smallThere, bigThere] = yield* Effect.provideContext(
          Effect.all([steppedRun("small", 1000), steppedRun("big", 1000)]),
          Context.pick(SharedRuns)(elsewhere),
        )
        const boundless = yield* steppedRun("boundless")
        const leaving = yield* Scope.make()
        yield* Scope.provide(big.join, leaving)
        const work = yield* big.startWork
        yield* work.append("x".repeat(900))
        yield* allowed(small.join)
        yield* work.append("y".repeat(900))
        assert.isAtLeast(yield* holding, 1800)
        for (const { join } of [small, smallThere]) yield* refused(join)
        for (const { join } of [big, bigThere, boundless]) yield* allowed(join)
        yield* Scope.close(leaving, Exit.void)
        assert.isFalse(yield* Fiber.join(work.fiber))
        yield* nothingHeld
        for (const { join } of [small, smallThere]) yield* allowed(join)
      }).pipe(Effect.scoped),
    )

    it.effect("include kept results until they are discarded or expire", () =>
      Effect.gen(function* () {
        const kept = yield* steppedRun("kept", 1000)
        const other = yield* steppedRun("other", 1000)
        const make = Effect.gen(function* () {
          const joined = yield* kept.join
          const work = yield* kept.startWork
          yield* work.append("x".repeat(999))
          yield* work.append("y".repeat(999))
          yield* work.finish("all", true)
          yield* readToEnd(joined)
          return joined.run
        }).pipe(Effect.scoped)

        const first = yield* make
        assert.isAtLeast(yield* holding, 1998)
        yield* refused(other.join)
        const again = yield* Effect.scoped(Effect.map(kept.join, (joined) => joined.kept))
        assert.deepStrictEqual(again, Option.some("all"))
        yield* kept.runs.discard(first)
        yield* nothingHeld
        yield* allowed(other.join)

        const second = yield* make
        yield* refused(other.join)
        yield* expire("kept", second.id)
        yield* allowed(other.join)
        yield* nothingHeld
      }).pipe(Effect.scoped),
    )

    it.effect("are exact however runs end", () =>
      Effect.gen(function* () {
        const names = ["finished", "failed", "discarded", "crashed"]
        const all = yield* Effect.forEach(names, (name) => steppedRun(name))
        yield* Effect.gen(function* () {
          for (const { join } of all) yield* join
          const work = yield* Effect.forEach(all, ({ startWork }) => startWork)
          for (const [i, { append }] of work.entries()) yield* append("z".repeat(100 + i))
          const [finished, failed, discarded] = work
          yield* finished?.finish("done") ?? Effect.void
          if (failed !== undefined) yield* (yield* SharedRuns).fail(failed.run, "it cannot be done")
          if (discarded !== undefined) {
            yield* (yield* SharedRuns).discard(discarded.run)
            yield* discarded.append("more")
          }
          assert.isAbove(yield* holding, 400)
          yield* expire("crashed", work[3]?.run.id ?? "")
          assert.isAbove(yield* holding, 300)
        }).pipe(Effect.scoped)
        yield* nothingHeld
      }),
    )
  },
)
