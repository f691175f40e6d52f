import { assert, layer } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { retryDeadlock } from "#src/repair/retryDeadlock.ts"
import { testFoundation } from "#test/support/TestStores.ts"

layer(testFoundation(), { excludeTestServices: true })("A repair", (it) => {
  it.effect("is repeated when it deadlocked with the service, and only then", () =>
    Effect.gen(function* () {
      const { sql, tx } = yield* Postgres
      yield* sql`create table locked (id int primary key, turns int not null)`
      yield* sql`insert into locked values (1, 0), (2, 0)`
      const take = (id: number) => sql`update locked set turns = turns + 1 where id = ${id}`
      const [first, second] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let attempts = 0
      /** Both hold one row and want the other's, in their first attempt. */
      const inTurn = (mine: number, other: number, done: Deferred.Deferred<void>, wanted: Deferred.Deferred<void>) =>
        retryDeadlock(
          tx(
            Effect.gen(function* () {
              attempts++
              yield* take(mine)
              yield* Deferred.succeed(done, undefined)
              yield* Deferred.await(wanted)
              yield* take(other)
            }),
          ),
        )
      yield* Effect.all([inTurn(1, 2, first, second), inTurn(2, 1, second, first)], { concurrency: 2 })
      assert.strictEqual(attempts, 3)
      const rows = yield* sql<{ turns: number }>`select turns from locked order by id`
      assert.deepStrictEqual(
        rows.map(({ turns }) => turns),
        [2, 2],
      )
      let failures = 0
      const broken = Effect.suspend(() => {
        failures++
        return sql`select 1 / 0`
      })
      yield* Effect.flip(retryDeadlock(broken))
      assert.strictEqual(failures, 1)
    }),
  )
})
