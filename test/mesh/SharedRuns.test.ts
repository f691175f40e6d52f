import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Layer, Option, Queue, Scope } from "effect"
import { SharedRuns } from "#src/mesh/SharedRuns.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { boarding, keysLeft, piloted, rest } from "./support/sharedRuns.ts"

const nobody = () => Effect.void

layer(SharedRuns.layer.pipe(Layer.provideMerge(testFoundation())), { excludeTestServices: true })("SharedRuns", (it) => {
  it.effect("every waiter gets all chunks from the first one, and the work is done once", () =>
    Effect.gen(function* () {
      const { join, takeOff, asked } = yield* piloted("shared")
      const early = yield* join
      const flying = yield* takeOff
      yield* flying.say("one ")
      assert.strictEqual(String(Option.getOrThrow(yield* early.next)), "one ")
      const late = yield* join
      const waiting = yield* Effect.forkScoped(Effect.all([rest(early), rest(late)], { concurrency: 2 }))
      yield* flying.say("two ".repeat(2000))
      yield* flying.say("three")
      assert.isTrue(yield* flying.land({ count: 3 }))
      const tail = `${"two ".repeat(2000)}three`
      assert.deepStrictEqual(yield* Fiber.join(waiting), [
        { text: tail, end: { count: 3 } },
        { text: `one ${tail}`, end: { count: 3 } },
      ])
      assert.strictEqual(yield* Queue.size(asked), 0)
      assert.isTrue(Option.isNone(late.kept))
    }).pipe(Effect.scoped),
  )

  it.effect("a kept result serves the next waiter; one that is not kept leaves nothing behind", () =>
    Effect.gen(function* () {
      const { join, takeOff, asked } = yield* piloted("kept")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const joined = yield* join
          const flying = yield* takeOff
          yield* flying.say("partial")
          yield* flying.land("half")
          assert.deepStrictEqual(yield* rest(joined), { text: "partial", end: "half" })
          // Others still read it, but who comes now gets a new one.
          const other = yield* Effect.scoped(Effect.map(join, ({ run }) => run.id))
          assert.notStrictEqual(other, joined.run.id)
          yield* Queue.take(asked)
        }),
      )
      assert.deepStrictEqual(yield* keysLeft("kept"), [])
      const whole = yield* Effect.scoped(
        Effect.gen(function* () {
          const joined = yield* join
          const flying = yield* takeOff
          yield* flying.say("whole")
          yield* flying.land("all", true)
          return yield* rest(joined)
        }),
      )
      const again = yield* join
      assert.deepStrictEqual(again.kept, Option.some("all"))
      assert.deepStrictEqual(yield* rest(again), whole)
      assert.strictEqual(yield* Queue.size(asked), 0)
      yield* (yield* SharedRuns).discard(again.run)
      assert.isTrue(Option.isNone((yield* join).kept))
    }).pipe(Effect.scoped),
  )

  it.effect("the oldest kept results make room for new ones", () =>
    Effect.gen(function* () {
      const kept = Effect.fnUntraced(function* (name: string) {
        const { join, takeOff } = yield* piloted(name)
        return yield* Effect.scoped(
          Effect.gen(function* () {
            yield* join
            const flying = yield* takeOff
            // Nothing that could be packed.
            yield* flying.say(String.fromCharCode(...Array.from({ length: 900 }, (_, i) => 33 + (i % 90))))
            for (let i = 0; i < 39; i++) yield* flying.say("x".repeat(1000))
            yield* flying.land("done", true)
          }),
        )
      })
      const isKept = Effect.fnUntraced(function* (name: string) {
        const runs = yield* SharedRuns
        return yield* Effect.scoped(
          Effect.map(runs.join(name, { start: nobody, startWithin: boarding }), ({ kept }) => Option.isSome(kept)),
        )
      })
      for (const name of ["first", "second", "third"]) yield* kept(name)
      assert.deepStrictEqual(yield* Effect.forEach(["first", "second", "third"], isKept), [false, true, true])
    }).pipe(Effect.scoped),
  )

  it.effect("the work ends as soon as the last waiter has left", () =>
    Effect.gen(function* () {
      const { join, takeOff } = yield* piloted("left")
      const waiters = [yield* Scope.make(), yield* Scope.make()]
      for (const scope of waiters) yield* Scope.provide(join, scope)
      const flying = yield* takeOff
      yield* flying.say("one")
      yield* Scope.close(waiters[0] as Scope.Closeable, Exit.void)
      yield* flying.say("two")
      yield* Scope.close(waiters[1] as Scope.Closeable, Exit.void)
      assert.isFalse(yield* Fiber.join(flying.fiber))
      assert.deepStrictEqual(yield* keysLeft("left"), [])
    }).pipe(Effect.scoped),
  )

  it.effect("the work does not start when all waiters have left", () =>
    Effect.gen(function* () {
      const { join, asked, runs } = yield* piloted("never")
      yield* Effect.scoped(join)
      const run = yield* Queue.take(asked)
      assert.isFalse(yield* runs.run(run, () => Effect.die("it must not be done")))
    }).pipe(Effect.scoped),
  )

  it.effect("a successor continues after the last chunk, and its predecessor can add no more", () =>
    Effect.gen(function* () {
      const { join, takeOff, asked } = yield* piloted("successor")
      const joined = yield* join
      const frozen = yield* takeOff
      yield* frozen.say("one ", { row: 1 })
      yield* Queue.offer(asked, frozen.run)
      const successor = yield* takeOff
      assert.deepStrictEqual(
        { position: successor.position, chunks: successor.chunks },
        { position: Option.some({ row: 1 }), chunks: 1 },
      )
      assert.isTrue(Exit.isFailure(yield* Effect.exit(frozen.say("one more "))))
      yield* successor.say("two")
      yield* successor.land(null)
      assert.deepStrictEqual(yield* rest(joined), { text: "one two", end: null })
    }).pipe(Effect.scoped),
  )

  it.effect("waiters get an error when the work fails for good and when no worker starts it", () =>
    Effect.gen(function* () {
      const { join, takeOff, runs } = yield* piloted("given up")
      const joined = yield* join
      const { run, say } = yield* takeOff
      yield* say("one")
      yield* runs.fail(run, "it cannot be done")
      const failure = yield* Effect.flip(rest(joined))
      assert.strictEqual(failure.message, "it cannot be done")
      const untaken = yield* runs.join("untaken", { start: nobody, boarding: Duration.millis(20) })
      assert.strictEqual((yield* Effect.flip(untaken.next))._tag, "SharedRunNotStarted")
    }).pipe(Effect.scoped),
  )

  it.effect("waiters of a crashed worker enqueue the job again", () =>
    Effect.gen(function* () {
      const { takeOff, asked, runs } = yield* piloted("deserted")
      const redis = yield* Redis
      const join = runs.join("deserted", {
        start: (run) => Effect.asVoid(Queue.offer(asked, run)),
        boarding: Duration.millis(50),
      })
      const joined = yield* join
      const dead = yield* takeOff
      yield* dead.say("one ")
      yield* Fiber.interrupt(dead.fiber)
      assert.strictEqual(String(Option.getOrThrow(yield* joined.next)), "one ")
      const reading = yield* Effect.forkScoped(joined.next)
      // Long enough ago that it must be dead. Those who sleep see it when they look the next time.
      const [state = ""] = (yield* keysLeft("deserted")).filter((name) => name.endsWith(":state"))
      yield* redis.run((client) => client.hset(state, "seen_at", "1"))
      assert.strictEqual((yield* Effect.flip(Fiber.join(reading)))._tag, "SharedRunNotStarted")
      const successor = yield* takeOff
      assert.strictEqual(successor.run.id, dead.run.id)
      yield* successor.say("two")
      yield* successor.land(null)
      assert.deepStrictEqual(yield* rest(joined), { text: "two", end: null })
    }).pipe(Effect.scoped),
  )

  it.effect("a run that Redis lost restarts before its first chunk and fails after it", () =>
    Effect.gen(function* () {
      const { join, takeOff, asked } = yield* piloted("wiped")
      const redis = yield* Redis
      const wipe = Effect.flatMap(keysLeft("wiped"), (names) => redis.run((client) => client.del(...names)))
      const joined = yield* join
      yield* wipe
      const reading = yield* Effect.forkScoped(joined.next)
      yield* Queue.take(asked)
      const flying = yield* takeOff
      yield* flying.say("one")
      assert.strictEqual(String(Option.getOrThrow(yield* Fiber.join(reading))), "one")
      yield* wipe
      assert.isFalse(yield* Fiber.join(flying.fiber))
      assert.strictEqual((yield* Effect.flip(joined.next))._tag, "SharedRunLost")
    }).pipe(Effect.scoped),
  )

  it.effect("a crashed waiter expires", () =>
    Effect.gen(function* () {
      const { join, takeOff } = yield* piloted("crashed")
      const redis = yield* Redis
      yield* join
      const flying = yield* takeOff
      yield* flying.say("one")
      const [key = ""] = (yield* keysLeft("crashed")).filter((name) => name.endsWith(":waiters"))
      // Again and again, because it is alive and says so.
      const runOut = redis.run(async (client) => {
        const [waiter = ""] = await client.zrange(key, "0", "0")
        if (waiter !== "") await client.zadd(key, 1, waiter)
        return flying.fiber.pollUnsafe() !== undefined
      })
      yield* eventually("the work ends", runOut)
      assert.isFalse(yield* Fiber.join(flying.fiber))
    }).pipe(Effect.scoped),
  )
})
