import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { venueOfInstance, venueToAsk } from "#src/cli/runningInstance.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Stores } from "#src/roles/Stores.ts"
import { makePublishSettings } from "#src/tuning/runningSettings.ts"
import { SimulatorAddress } from "#src/upstream/Endpoints.ts"
import { testConfiguration, testFoundation } from "#test/support/TestStores.ts"

/** A command of the instance whose stores these are, with settings of its own. */
const addressFor = (flags: Readonly<Record<string, string>>, venue = venueOfInstance) =>
  Effect.gen(function* () {
    const { databaseUrl, redisUrl } = yield* Stores
    const { prefix } = yield* Redis
    const ownSettings = testConfiguration({
      "database.url": Redacted.value(databaseUrl),
      "redis.url": Redacted.value(redisUrl),
      "redis.prefix": prefix,
      ...flags,
    })
    return yield* Effect.map(SimulatorAddress, ({ url }) => url).pipe(
      Effect.provide(venue.pipe(Layer.provide(ownSettings))),
    )
  })

const running = Effect.flatMap(makePublishSettings, (publish) => publish)

layer(testFoundation({ "sim.port": "18123" }), { excludeTestServices: true })("A command", (it) => {
  it.effect("asks the simulated venue of the running instance, unless it names another", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* addressFor({}), "http://127.0.0.1:8090")
      yield* running
      assert.strictEqual(yield* addressFor({}), "http://127.0.0.1:18123")
      assert.strictEqual(yield* addressFor({ "sim.port": "18124" }), "http://127.0.0.1:18124")
      const elsewhere = "http://venue.example:9"
      assert.strictEqual(yield* addressFor({ "upstream.simulator-url": elsewhere }), elsewhere)
    }).pipe(Effect.scoped),
  )
})

layer(testFoundation({ "upstream.simulator-url": "http://venue.example:9" }), { excludeTestServices: true })(
  "A command beside an instance whose simulated venue is elsewhere",
  (it) => {
    it.effect("asks the port that it is given, not the address of the instance", () =>
      Effect.gen(function* () {
        yield* running
        assert.strictEqual(yield* addressFor({}), "http://venue.example:9")
        assert.strictEqual(yield* addressFor({ "sim.port": "18124" }), "http://127.0.0.1:18124")
      }).pipe(Effect.scoped),
    )
  },
)

const real = { upstream: "polymarket", "upstream.rpc-url": "http://127.0.0.1:9" }

layer(testFoundation({}), { excludeTestServices: true })("A command beside the simulated instance", (it) => {
  it.effect("can ask the real venue before it is started, if it needs no ledger", () =>
    Effect.gen(function* () {
      yield* running
      yield* addressFor(real, venueToAsk)
      const refused = yield* Effect.flip(addressFor(real))
      assert.match(refused.message, /has UPSTREAM=simulator, this command does not/)
    }).pipe(Effect.scoped),
  )
})

layer(testFoundation(real), { excludeTestServices: true })("A command beside an instance on the real venue", (it) => {
  it.effect("does not ask the simulated one, and says what to set", () =>
    Effect.gen(function* () {
      yield* running
      const refused = yield* Effect.flip(addressFor({}))
      assert.match(refused.message, /UPSTREAM=polymarket and UPSTREAM_RPC_URL for it too/)
      yield* Effect.flip(addressFor({}, venueToAsk))
      yield* addressFor(real)
    }).pipe(Effect.scoped),
  )
})
