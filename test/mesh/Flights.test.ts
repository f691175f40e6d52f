import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Layer, Option, Queue, Scope } from "effect"
import { Flights } from "#src/mesh/SharedRuns.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { boarding, keysLeft, piloted, rest } from "./support/flights.ts"

const nobody = () => Effect.void

layer(Flights.layer.pipe(Layer.provideMerge(testFoundation())), { excludeTestServices: true })("Flights", (it) => {
  it.effect("everybody gets it from its beginning, whenever they come, and it is done once", () =>
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

  it.effect("what is kept is there for the next one; what is not, is not, and nothing is left of it", () =>
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
          const other = yield* Effect.scoped(Effect.map(join, ({ flight }) => flight.id))
          assert.notStrictEqual(other, joined.flight.id)
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
      yield* (yield* Flights).forget(again.flight)
      assert.isTrue(Option.isNone((yield* join).kept))
    }).pipe(Effect.scoped),
  )

  it.effect("the oldest of those that are kept make room for new ones", () =>
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
        const flights = yield* Flights
        return yield* Effect.scoped(
          Effect.map(flights.join(name, { start: nobody, boarding }), ({ kept }) => Option.isSome(kept)),
        )
      })
      for (const name of ["first", "second", "third"]) yield* kept(name)
      assert.deepStrictEqual(yield* Effect.forEach(["first", "second", "third"], isKept), [false, true, true])
    }).pipe(Effect.scoped),
  )

  it.effect("ends as soon as the last one has left", () =>
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

  it.effect("is not begun when all have left before", () =>
    Effect.gen(function* () {
      const { join, asked, flights } = yield* piloted("never")
      yield* Effect.scoped(join)
      const flight = yield* Queue.take(asked)
      assert.isFalse(yield* flights.fly(flight, () => Effect.die("it must not be done")))
    }).pipe(Effect.scoped),
  )

  it.effect("a successor goes on behind the last piece, and its predecessor can add nothing any more", () =>
    Effect.gen(function* () {
      const { join, takeOff, asked } = yield* piloted("successor")
      const joined = yield* join
      const frozen = yield* takeOff
      yield* frozen.say("one ", { row: 1 })
      yield* Queue.offer(asked, frozen.flight)
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

  it.effect("those who wait are told when it is given up, and when no worker takes it", () =>
    Effect.gen(function* () {
      const { join, takeOff, flights } = yield* piloted("given up")
      const joined = yield* join
      const { flight, say } = yield* takeOff
      yield* say("one")
      yield* flights.giveUp(flight, "it cannot be done")
      const failure = yield* Effect.flip(rest(joined))
      assert.strictEqual(failure.message, "it cannot be done")
      const untaken = yield* flights.join("untaken", { start: nobody, boarding: Duration.millis(20) })
      assert.strictEqual((yield* Effect.flip(untaken.next))._tag, "FlightNotTaken")
    }).pipe(Effect.scoped),
  )

  it.effect("those who wait for a worker that is gone are not left waiting, and ask for another one", () =>
    Effect.gen(function* () {
      const { takeOff, asked, flights } = yield* piloted("deserted")
      const redis = yield* Redis
      const join = flights.join("deserted", {
        start: (flight) => Effect.asVoid(Queue.offer(asked, flight)),
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
      assert.strictEqual((yield* Effect.flip(Fiber.join(reading)))._tag, "FlightNotTaken")
      const successor = yield* takeOff
      assert.strictEqual(successor.flight.id, dead.flight.id)
      yield* successor.say("two")
      yield* successor.land(null)
      assert.deepStrictEqual(yield* rest(joined), { text: "two", end: null })
    }).pipe(Effect.scoped),
  )

  it.effect("begins anew when Redis lost it before anything was given, and says so when something was", () =>
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
      assert.strictEqual((yield* Effect.flip(joined.next))._tag, "FlightLost")
    }).pipe(Effect.scoped),
  )

  it.effect("a waiter that crashed runs out", () =>
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
