import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Layer, Option, Queue, Scope } from "effect"
import { SharedRuns } from "#src/mesh/SharedRuns.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { keysLeft, readToEnd, startWithin, steppedRun } from "./support/sharedRuns.ts"

const ignoreStart = () => Effect.void

layer(SharedRuns.layer.pipe(Layer.provideMerge(testFoundation())), { excludeTestServices: true })(
  "SharedRuns",
  (it) => {
    it.effect("every waiter gets all chunks from the first one, and the work is done once", () =>
      Effect.gen(function* () {
        const { join, startWork, startRequests } = yield* steppedRun("shared")
        const early = yield* join
        const work = yield* startWork
        yield* work.append("one ")
        assert.strictEqual(String(Option.getOrThrow(yield* early.next)), "one ")
        const late = yield* join
        const waiting = yield* Effect.forkScoped(Effect.all([readToEnd(early), readToEnd(late)], { concurrency: 2 }))
        yield* work.append("two ".repeat(2000))
        yield* work.append("three")
        assert.isTrue(yield* work.finish({ count: 3 }))
        const tail = `${"two ".repeat(2000)}three`
        assert.deepStrictEqual(yield* Fiber.join(waiting), [
          { text: tail, end: { count: 3 } },
          { text: `one ${tail}`, end: { count: 3 } },
        ])
        assert.strictEqual(yield* Queue.size(startRequests), 0)
        assert.isTrue(Option.isNone(late.kept))
      }).pipe(Effect.scoped),
    )

    it.effect("a kept result serves the next waiter; one that is not kept leaves nothing behind", () =>
      Effect.gen(function* () {
        const { join, startWork, startRequests } = yield* steppedRun("kept")
        yield* Effect.scoped(
          Effect.gen(function* () {
            const joined = yield* join
            const work = yield* startWork
            yield* work.append("partial")
            yield* work.finish("half")
            assert.deepStrictEqual(yield* readToEnd(joined), { text: "partial", end: "half" })
            // Present waiters still read it; a new waiter gets a new run.
            const other = yield* Effect.scoped(Effect.map(join, ({ run }) => run.id))
            assert.notStrictEqual(other, joined.run.id)
            yield* Queue.take(startRequests)
          }),
        )
        assert.deepStrictEqual(yield* keysLeft("kept"), [])
        const whole = yield* Effect.scoped(
          Effect.gen(function* () {
            const joined = yield* join
            const work = yield* startWork
            yield* work.append("whole")
            yield* work.finish("all", true)
            return yield* readToEnd(joined)
          }),
        )
        const again = yield* join
        assert.deepStrictEqual(again.kept, Option.some("all"))
        assert.deepStrictEqual(yield* readToEnd(again), whole)
        assert.strictEqual(yield* Queue.size(startRequests), 0)
        yield* (yield* SharedRuns).discard(again.run)
        assert.isTrue(Option.isNone((yield* join).kept))
      }).pipe(Effect.scoped),
    )

    it.effect("the oldest kept results make room for new ones", () =>
      Effect.gen(function* () {
        const keepResult = Effect.fnUntraced(function* (name: string) {
          const { join, startWork } = yield* steppedRun(name)
          return yield* Effect.scoped(
            Effect.gen(function* () {
              yield* join
              const work = yield* startWork
              // Too small to be packed.
              yield* work.append(String.fromCharCode(...Array.from({ length: 900 }, (_, i) => 33 + (i % 90))))
              for (let i = 0; i < 39; i++) yield* work.append("x".repeat(1000))
              yield* work.finish("done", true)
            }),
          )
        })
        const isKept = Effect.fnUntraced(function* (name: string) {
          const runs = yield* SharedRuns
          return yield* Effect.scoped(
            Effect.map(runs.join(name, { start: ignoreStart, startWithin }), ({ kept }) => Option.isSome(kept)),
          )
        })
        for (const name of ["first", "second", "third"]) yield* keepResult(name)
        assert.deepStrictEqual(yield* Effect.forEach(["first", "second", "third"], isKept), [false, true, true])
      }).pipe(Effect.scoped),
    )

    it.effect("the work ends as soon as the last waiter has left", () =>
      Effect.gen(function* () {
        const { join, startWork } = yield* steppedRun("left")
        const waiters = [yield* Scope.make(), yield* Scope.make()]
        for (const scope of waiters) yield* Scope.provide(join, scope)
        const work = yield* startWork
        yield* work.append("one")
        yield* Scope.close(waiters[0] as Scope.Closeable, Exit.void)
        yield* work.append("two")
        yield* Scope.close(waiters[1] as Scope.Closeable, Exit.void)
        assert.isFalse(yield* Fiber.join(work.fiber))
        assert.deepStrictEqual(yield* keysLeft("left"), [])
      }).pipe(Effect.scoped),
    )

    it.effect("the work does not start when all waiters have left", () =>
      Effect.gen(function* () {
        const { join, startRequests, runs } = yield* steppedRun("never")
        yield* Effect.scoped(join)
        const run = yield* Queue.take(startRequests)
        assert.isFalse(yield* runs.run(run, () => Effect.die("it must not be done")))
      }).pipe(Effect.scoped),
    )

    it.effect("a successor continues after the last chunk, and its predecessor can add no more", () =>
      Effect.gen(function* () {
        const { join, startWork, startRequests } = yield* steppedRun("successor")
        const joined = yield* join
        const frozen = yield* startWork
        yield* frozen.append("one ", { row: 1 })
        yield* Queue.offer(startRequests, frozen.run)
        const successor = yield* startWork
        assert.deepStrictEqual(
          { position: successor.position, chunks: successor.chunks },
          { position: Option.some({ row: 1 }), chunks: 1 },
        )
        assert.isTrue(Exit.isFailure(yield* Effect.exit(frozen.append("one more "))))
        yield* successor.append("two")
        yield* successor.finish(null)
        assert.deepStrictEqual(yield* readToEnd(joined), { text: "one two", end: null })
      }).pipe(Effect.scoped),
    )

    it.effect("waiters get an error when the work fails for good and when no worker starts it", () =>
      Effect.gen(function* () {
        const { join, startWork, runs } = yield* steppedRun("failed")
        const joined = yield* join
        const { run, append } = yield* startWork
        yield* append("one")
        yield* runs.fail(run, "it cannot be done")
        const failure = yield* Effect.flip(readToEnd(joined))
        assert.strictEqual(failure.message, "it cannot be done")
        const untaken = yield* runs.join("untaken", { start: ignoreStart, startWithin: Duration.millis(20) })
        assert.strictEqual((yield* Effect.flip(untaken.next))._tag, "SharedRunNotStarted")
      }).pipe(Effect.scoped),
    )

    it.effect("waiters of a crashed worker enqueue the job again", () =>
      Effect.gen(function* () {
        const { startWork, startRequests, runs } = yield* steppedRun("deserted")
        const redis = yield* Redis
        const join = runs.join("deserted", {
          start: (run) => Effect.asVoid(Queue.offer(startRequests, run)),
          startWithin: Duration.millis(50),
        })
        const joined = yield* join
        const dead = yield* startWork
        yield* dead.append("one ")
        yield* Fiber.interrupt(dead.fiber)
        assert.strictEqual(String(Option.getOrThrow(yield* joined.next)), "one ")
        const reading = yield* Effect.forkScoped(joined.next)
        // Long enough ago that the worker counts as dead. Waiters notice it at their next check.
        const [state = ""] = (yield* keysLeft("deserted")).filter((name) => name.endsWith(":state"))
        yield* redis.run((client) => client.hset(state, "seen_at", "1"))
        assert.strictEqual((yield* Effect.flip(Fiber.join(reading)))._tag, "SharedRunNotStarted")
        const successor = yield* startWork
        assert.strictEqual(successor.run.id, dead.run.id)
        yield* successor.append("two")
        yield* successor.finish(null)
        assert.deepStrictEqual(yield* readToEnd(joined), { text: "two", end: null })
      }).pipe(Effect.scoped),
    )

    it.effect("a run that Redis lost restarts before its first chunk and fails after it", () =>
      Effect.gen(function* () {
        const { join, startWork, startRequests } = yield* steppedRun("wiped")
        const redis = yield* Redis
        const wipe = Effect.flatMap(keysLeft("wiped"), (names) => redis.run((client) => client.del(...names)))
        const joined = yield* join
        yield* wipe
        const reading = yield* Effect.forkScoped(joined.next)
        yield* Queue.take(startRequests)
        const work = yield* startWork
        yield* work.append("one")
        assert.strictEqual(String(Option.getOrThrow(yield* Fiber.join(reading))), "one")
        yield* wipe
        assert.isFalse(yield* Fiber.join(work.fiber))
        assert.strictEqual((yield* Effect.flip(joined.next))._tag, "SharedRunLost")
      }).pipe(Effect.scoped),
    )

    it.effect("a crashed waiter expires", () =>
      Effect.gen(function* () {
        const { join, startWork } = yield* steppedRun("crashed")
        const redis = yield* Redis
        yield* join
        const work = yield* startWork
        yield* work.append("one")
        const [key = ""] = (yield* keysLeft("crashed")).filter((name) => name.endsWith(":waiters"))
        // Repeatedly, because the live waiter keeps renewing its entry.
        const runOut = redis.run(async (client) => {
          const [waiter = ""] = await client.zrange(key, "0", "0")
          if (waiter !== "") await client.zadd(key, 1, waiter)
          return work.fiber.pollUnsafe() !== undefined
        })
        yield* eventually("the work ends", runOut)
        assert.isFalse(yield* Fiber.join(work.fiber))
      }).pipe(Effect.scoped),
    )
  },
)
