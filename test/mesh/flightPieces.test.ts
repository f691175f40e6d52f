import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { Flights } from "#src/mesh/SharedRuns.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { keysLeft, piloted, rest } from "./support/flights.ts"

/** Small ones, which are not packed, and large ones, of which some pack well and some do not. */
const sizes = [1, 900, 1_024, 70_000, 1_000_000, 3, 300_000]
const texts = sizes.map((size, i) =>
  i % 2 === 0 ? `${i}`.repeat(size) : randomBytes(size).toString("hex").slice(0, size),
)

const world = Flights.layer.pipe(Layer.provideMerge(testFoundation()))

layer(world, { excludeTestServices: true })("The pieces of a flight", (it) => {
  it.effect("come as they were given to all who read them at once, whatever their size", () =>
    Effect.gen(function* () {
      const { join, takeOff } = yield* piloted("sizes")
      const joined = yield* Effect.all(Array.from({ length: 4 }, () => join))
      const flying = yield* takeOff
      const reading = yield* Effect.forkScoped(Effect.forEach(joined, rest, { concurrency: "unbounded" }))
      for (const text of texts) yield* flying.say(text, null)
      yield* flying.land("all")
      for (const { text, end } of yield* Fiber.join(reading)) {
        assert.strictEqual(end, "all")
        assert.isTrue(text === texts.join(""))
      }
    }).pipe(Effect.scoped),
  )

  it.effect("come as they were given also when the connection has broken", () =>
    Effect.gen(function* () {
      const { join, takeOff } = yield* piloted("broken off")
      const redis = yield* Redis
      const joined = yield* join
      const flying = yield* takeOff
      for (const text of texts) yield* flying.say(text, null)
      const first = Option.getOrThrow(yield* joined.next)
      const clients = yield* redis.run((client) => client.client("LIST"))
      const ids = [...String(clients).matchAll(/^id=(\d+) .* name=presage-pieces /gm)].map(([, id = ""]) => id)
      assert.isAbove(ids.length, 0)
      for (const id of ids) yield* redis.run((client) => client.client("KILL", "ID", id))
      yield* flying.land("all")
      const { text, end } = yield* rest(joined)
      assert.strictEqual(end, "all")
      assert.isTrue(`${first}${text}` === texts.join(""))
    }).pipe(Effect.scoped),
  )

  it.effect("are lost where somebody else has written over them", () =>
    Effect.gen(function* () {
      const { join, takeOff } = yield* piloted("broken")
      const redis = yield* Redis
      const joined = yield* join
      const flying = yield* takeOff
      yield* flying.say("a ".repeat(2000))
      const [key = ""] = (yield* keysLeft("broken")).filter((name) => name.endsWith(":chunks"))
      yield* redis.run((client) => client.lset(key, 0, "what nobody has packed"))
      assert.strictEqual((yield* Effect.flip(joined.next))._tag, "FlightLost")
    }).pipe(Effect.scoped),
  )
})
