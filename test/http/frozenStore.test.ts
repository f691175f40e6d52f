import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { serving } from "./support/serving.ts"

const server = ApiServer.pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(
    testFoundation({ port: "0", host: "127.0.0.1", "sim.port": "1", "postgres.statement-timeout": "500ms" }),
  ),
)

/** Stops the backends of this test's database, as a frozen machine would, until the scope closes. */
const freeze = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ pid: number }>`select pid from pg_stat_activity where datname = current_database()`
  const signal = (name: "SIGSTOP" | "SIGCONT") =>
    Effect.sync(() => {
      for (const { pid } of rows) process.kill(pid, name)
    })
  yield* Effect.acquireRelease(signal("SIGSTOP"), () => signal("SIGCONT"))
})

layer(server, { excludeTestServices: true })("While Postgres is frozen", (it) => {
  it.effect("a request with a known key is answered with 503 before its connection is given up", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const paths = [`/v3/wallets/0x${"ab".repeat(20)}/trades`, "/v1/events?limit=5"]
      for (const path of paths) assert.strictEqual((yield* askWith(key, path)).status, 200)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* freeze
          const answers = yield* Effect.all(
            paths.map((path) => askWith(key, path)),
            { concurrency: "unbounded" },
          )
          for (const { status, json, headers } of answers) {
            assert.deepStrictEqual([status, headers["retry-after"]], [503, "2"])
            // A lost connection would be answered with another error.
            assert.strictEqual(json.error, "The answer was not ready in time.")
          }
        }),
      )
      yield* eventually(
        "requests are answered again",
        Effect.map(askWith(key, paths[0] ?? ""), ({ status }) => status === 200),
      )
    }),
  )
})
