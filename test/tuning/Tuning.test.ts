import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Stream } from "effect"
import { sweepEvery } from "#src/mesh/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Stores } from "#src/roles/Stores.ts"
import { Tuning } from "#src/tuning/Tuning.ts"
import { eventually } from "#test/support/eventually.ts"
import { testConfiguration, testFoundation } from "#test/support/TestStores.ts"

layer(testFoundation(), { excludeTestServices: true })("Tuning", (it) => {
  /** Stands for another process: a separate configuration that follows the same stores. */
  const anotherProcess = Effect.gen(function* () {
    const { databaseUrl, redisUrl } = yield* Stores
    const { prefix } = yield* Redis
    return Tuning.follow.pipe(
      Layer.provide(Layer.merge(Postgres.layer(databaseUrl), Redis.layer(redisUrl))),
      Layer.provideMerge(testConfiguration({ "redis.prefix": prefix })),
      Layer.fresh,
    )
  })

  it.effect("a change reaches another process, is stored and audited, and can be reset", () =>
    Effect.gen(function* () {
      const tuning = yield* Tuning
      const seconds = Effect.map(Configuration, (config) => config.get(sweepEvery).toString())
      const original = yield* seconds
      const other = yield* anotherProcess
      yield* Effect.gen(function* () {
        const config = yield* Configuration
        const changed = yield* config.watch(sweepEvery).pipe(Stream.take(2), Stream.runCollect, Effect.forkChild)
        const change = yield* tuning.set("sweep.every", "90s", "alice")
        assert.deepInclude(change, { name: "sweep.every", from: undefined, to: "90s", by: "alice" })
        yield* eventually(
          "the other process has the change",
          Effect.sync(() => changed.pollUnsafe() !== undefined),
          "2 seconds",
        )
        assert.deepInclude(
          config.rows().find((row) => row.name === "sweep.every"),
          { value: "90s", source: "live override" },
        )
      }).pipe(Effect.provide(other))

      // A process that starts later has it from the start.
      const late = yield* Effect.provide(seconds, yield* anotherProcess)
      assert.notStrictEqual(late, original)

      yield* tuning.reset("sweep.every", "bob")
      assert.strictEqual(yield* Effect.provide(seconds, yield* anotherProcess), original)
      const history = yield* tuning.history(Option.some("sweep.every"))
      assert.deepStrictEqual(
        history.map(({ from, to, by }) => [from, to, by]),
        [
          ["90s", undefined, "bob"],
          [undefined, "90s", "alice"],
        ],
      )
    }),
  )

  it.effect("an invalid change is refused with a reason and changes nothing", () =>
    Effect.gen(function* () {
      const tuning = yield* Tuning
      const reason = (name: string, value: string) =>
        Effect.map(Effect.flip(tuning.set(name, value, "eve")), (e) => e.message)
      assert.match(yield* reason("sweep.every", "soon"), /sweep\.every: "soon" is not a duration from 100ms to 10m/)
      assert.match(yield* reason("sweep.every", "99d"), /is not a duration from/)
      assert.match(yield* reason("port", "9000"), /only read at start: set PORT/)
      assert.match(yield* reason("no.such", "1"), /unknown setting "no\.such"/)
      assert.match(yield* reason("sweep.every", "1s\u0000"), /is not a duration/)
      const { sql } = yield* Postgres
      assert.deepStrictEqual(yield* sql`select 1 from tuning_audit where set_by = 'eve'`, [])
    }),
  )
})
