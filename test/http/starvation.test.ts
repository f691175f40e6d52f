import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { serving } from "./support/serving.ts"

const server = ApiServer.pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(
    testFoundation({ port: "0", host: "127.0.0.1", "sim.port": "1", "postgres.statement-timeout": "30s" }),
  ),
)

const tradesOf = (n: number) => `/v3/wallets/0x${n.toString(16).padStart(40, "0")}/trades`

/** Statements that wait for a lock. */
const waiting = Effect.gen(function* () {
  const { reads } = yield* Postgres
  const [row] = yield* reads<{ n: number }>`
    select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%fill%'`
  return row?.n ?? 0
})

layer(server, { excludeTestServices: true })("64 slow requests of one account", (it) => {
  it.effect("use only some of the connections, so that every request of another account is answered", () =>
    Effect.gen(function* () {
      const { exports } = yield* Postgres
      const slow = yield* keyOf("enterprise")
      const other = yield* keyOf("enterprise")
      const quick = ["/v1/keys", "/v1/events?limit=5", "/v1/limits", "/v1/usage", "/v3/webhooks"]
      assert.strictEqual((yield* askWith(slow.key, tradesOf(0))).status, 200)
      const requests = yield* exports.withTransaction(
        Effect.gen(function* () {
          yield* exports`lock table fill in access exclusive mode`
          const sent = yield* Effect.forkChild(
            Effect.forEach(
              Array.from({ length: 64 }, (_, n) => n),
              (n) => askWith(slow.key, tradesOf(n + 1)),
              { concurrency: "unbounded" },
            ),
          )
          yield* eventually(
            "the first of them wait for Postgres",
            Effect.map(waiting, (count) => count === 8),
          )
          for (let round = 0; round < 4; round++) {
            const answers = yield* Effect.forEach(quick, (path) => askWith(other.key, path), { concurrency: 5 })
            assert.deepStrictEqual(
              answers.map(({ status }) => status),
              quick.map(() => 200),
            )
            assert.strictEqual(yield* waiting, 8)
          }
          return sent
        }),
      )
      const answers = yield* Fiber.join(requests)
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [200], "all get their turn")
    }),
  )
})
