import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { serving } from "./support/serving.ts"

const server = ApiServer.pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(
    testFoundation({ port: "0", host: "127.0.0.1", "sim.port": "1", "postgres.statement-timeout": "500ms" }),
  ),
)

layer(server, { excludeTestServices: true })("A statement that takes too long", (it) => {
  it.effect("is cancelled and answered with 503, which says when to try again and what to ask for", () =>
    Effect.gen(function* () {
      const { sql, exports } = yield* Postgres
      const { key } = yield* keyOf("enterprise")
      const path = `/v3/wallets/0x${"ab".repeat(20)}/trades`
      assert.strictEqual((yield* askWith(key, path)).status, 200)
      yield* exports.withTransaction(
        Effect.gen(function* () {
          yield* exports`lock table fill in access exclusive mode`
          const { status, json, headers } = yield* askWith(key, path)
          assert.deepStrictEqual([status, headers["retry-after"]], [503, "2"])
          assert.match(json.error, /took too long/)
          assert.match(json.hint, /narrower filter/)
        }),
      )
      assert.strictEqual((yield* askWith(key, path)).status, 200)
      assert.deepStrictEqual(yield* sql`select count(*)::int as n from fill`, [{ n: 0 }])
    }),
  )
})
