import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Schema } from "effect"
import { isSqlError } from "effect/unstable/sql/SqlError"
import { abandonAfter } from "#src/platform/process/deadline.ts"
import { Postgres, Transaction } from "#src/platform/sql/Postgres.ts"
import { isTransient, retryTransient, Saturated } from "#src/platform/sql/sqlFailure.ts"
import { testFoundation } from "#test/support/TestStores.ts"

class Mistake extends Schema.TaggedError<Mistake>()("Mistake", {}) {}

layer(testFoundation({ "postgres.pool": "3", "postgres.admission-timeout": "3s" }), { excludeTestServices: true })(
  "Postgres",
  (it) => {
    const table = Effect.gen(function* () {
      const { sql } = yield* Postgres
      yield* sql`create table if not exists thing (id integer, constraint thing_unique unique (id) deferrable initially deferred)`
      yield* sql`delete from thing`
      return sql
    })
    const count = Effect.flatMap(Postgres, ({ sql }) =>
      Effect.map(sql<{ n: number }>`select count(*)::int as n from thing`, ([row]) => row?.n),
    )

    it.effect("a COMMIT refused by the database is a typed error, not a defect", () =>
      Effect.gen(function* () {
        const sql = yield* table
        const { tx } = yield* Postgres
        const error = yield* Effect.flip(tx(sql`insert into thing values (1), (1)`))
        assert.isTrue(isSqlError(error))
        assert.strictEqual(isSqlError(error) && error.reason._tag, "UniqueViolation")
        assert.strictEqual(yield* count, 0)
      }),
    )

    it.effect("a failure in the body rolls back and is returned unchanged", () =>
      Effect.gen(function* () {
        const sql = yield* table
        const { tx } = yield* Postgres
        const error = yield* Effect.flip(
          tx(Effect.andThen(sql`insert into thing values (1)`, Effect.fail(new Mistake()))),
        )
        assert.instanceOf(error, Mistake)
        assert.strictEqual(yield* count, 0)
      }),
    )

    it.effect("statements of every pool have a time limit, and none waits for ever for a lock or for its client", () =>
      Effect.gen(function* () {
        const { sql, reads, lookups, planned, exports } = yield* Postgres
        const limits = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]
        for (const [pool, [client, longest]] of Object.entries({
          sql: [sql, 60_000],
          reads: [reads, 60_000],
          lookups: [lookups, 60_000],
          planned: [planned, 60_000],
          exports: [exports, 300_000],
        } as const)) {
          const rows = yield* client<{ millis: number }>`
            select setting::int as millis from pg_settings where ${client.in("name", limits)} order by name desc`
          assert.deepStrictEqual(
            rows.map(({ millis }) => millis),
            [longest, 30_000, 30_000],
            pool,
          )
        }
      }),
    )

    it.effect("a backend that dies inside a transaction is transient, and a retry succeeds", () =>
      Effect.gen(function* () {
        const sql = yield* table
        const { tx, reads } = yield* Postgres
        let attempts = 0
        yield* tx(
          Effect.gen(function* () {
            attempts += 1
            const [me] = yield* sql<{ pid: number }>`select pg_backend_pid() as pid`
            yield* sql`insert into thing values (${attempts})`
            if (attempts === 1) yield* reads`select pg_terminate_backend(${me?.pid})`
            yield* sql`select 1`
          }),
        ).pipe(retryTransient())
        assert.strictEqual(attempts, 2)
        assert.strictEqual(yield* count, 1)
      }),
    )

    it.effect("a connection lost during COMMIT is reported as CommitUnknown", () =>
      Effect.gen(function* () {
        const sql = yield* table
        const { tx, reads } = yield* Postgres
        // A deferred trigger runs inside COMMIT and ends its own session there.
        yield* sql.unsafe(`create or replace function suicide() returns trigger language plpgsql as
        $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`)
        yield* sql`create constraint trigger dies after insert on thing deferrable initially deferred for each row execute function suicide()`
        const error = yield* Effect.flip(tx(sql`insert into thing values (7)`))
        yield* reads`drop trigger dies on thing`
        assert.strictEqual(error._tag, "CommitUnknown")
        assert.isTrue(isTransient(error))
      }),
    )

    it.effect(
      "a transaction is refused within the admission timeout when every connection is busy, and none leaks",
      () =>
        Effect.gen(function* () {
          const { tx, sql } = yield* Postgres
          const hold = yield* Deferred.make<void>()
          const entered = yield* Deferred.make<void>()
          // A pool of 3 admits one transaction at a time: two connections stay free for single statements and LISTEN.
          const holder = yield* Effect.forkChild(
            tx(Effect.andThen(Deferred.succeed(entered, undefined), Deferred.await(hold))),
          )
          yield* Deferred.await(entered)
          const refused = yield* Effect.flip(tx(sql`select 1`))
          assert.instanceOf(refused, Saturated)
          yield* Deferred.succeed(hold, undefined)
          yield* Fiber.join(holder)
          yield* Effect.forEach(Array.from({ length: 20 }), () => tx(sql`select 1`), { concurrency: 20 })
        }),
    )

    it.effect.each([undefined, "1 minute"] as const)(
      "beforeCommit work runs once before COMMIT, without the items of a failed nested transaction (limit %s)",
      (limit) =>
        Effect.gen(function* () {
          const sql = yield* table
          const { tx } = yield* Postgres
          const done: Array<string> = []
          const announce = (name: string) =>
            Effect.map(Transaction, ({ beforeCommit }) =>
              beforeCommit("announce", [name], (names) =>
                Effect.map(sql`select 1 from thing`, (rows) => {
                  done.push(`${names.join(" and ")}, seeing ${rows.length}`)
                }),
              ),
            )
          yield* tx(
            Effect.gen(function* () {
              yield* announce("first")
              yield* tx(Effect.andThen(announce("nested"), sql`insert into thing values (1)`))
              yield* Effect.exit(tx(Effect.andThen(announce("lost"), Effect.fail(new Mistake()))))
              yield* sql`insert into thing values (2)`
            }),
            limit,
          )
          assert.deepStrictEqual(done, ["first and nested, seeing 2"])
        }),
    )

    it.effect("statements of a transaction with a limit may take that long, and a failure rolls them back", () =>
      Effect.gen(function* () {
        const sql = yield* table
        const { tx } = yield* Postgres
        const limits = sql<{ statement_timeout: string }>`show statement_timeout`
        const [[usual], [long]] = [yield* limits, yield* tx(limits, "90 seconds")]
        assert.deepStrictEqual([usual?.statement_timeout, long?.statement_timeout], ["1min", "90s"])
        yield* tx(sql`insert into thing values (1)`, "90 seconds")
        const failing = Effect.andThen(sql`insert into thing values (2)`, Effect.fail(new Mistake()))
        assert.instanceOf(yield* Effect.flip(tx(failing, "90 seconds")), Mistake)
        assert.strictEqual(yield* count, 1)
        assert.strictEqual((yield* limits)[0]?.statement_timeout, "1min")
      }),
    )

    it.effect("abandonAfter returns in time even when the effect is uninterruptible", () =>
      Effect.gen(function* () {
        const release = yield* Deferred.make<void>()
        const stuck = Effect.uninterruptible(Deferred.await(release))
        const exit = yield* Effect.exit(abandonAfter(stuck, Duration.millis(50), () => new Mistake()))
        assert.isTrue(Exit.isFailure(exit))
        yield* Deferred.succeed(release, undefined)
      }),
    )
  },
)
