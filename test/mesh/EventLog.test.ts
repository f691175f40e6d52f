import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Random, Ref, Schedule, Stream } from "effect"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"
import { EventLog, type LoggedEvent } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Stores } from "#src/roles/Stores.ts"
import { testFoundation } from "#test/support/TestStores.ts"

class Rollback {
  readonly _tag = "Rollback"
}

layer(testFoundation({ "postgres.pool": "10" }), { excludeTestServices: true })("EventLog", (it) => {
  it.effect("a cursor sees every committed event once and in order under concurrent writers", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const { tx, sql } = yield* Postgres
      const start = yield* log.head
      const writing = yield* Ref.make(true)

      const writer = (id: number) =>
        Effect.gen(function* () {
          const committed: Array<string> = []
          for (let turn = 0; turn < 60; turn++) {
            const names = Array.from({ length: yield* Random.nextIntBetween(1, 5) }, (_, i) => `${id}.${turn}.${i}`)
            const late = yield* Random.nextIntBetween(0, 4)
            const fails = (yield* Random.next) < 0.15
            yield* tx(
              Effect.gen(function* () {
                yield* log.append(names.map((name) => ({ kind: "property", data: { name } })))
                yield* sql`select pg_sleep(${late / 1000})`
                if (fails) return yield* Effect.fail(new Rollback())
                committed.push(...names)
              }),
            ).pipe(Effect.catchTag("Rollback", () => Effect.void))
          }
          return committed
        })

      const reader = Effect.gen(function* () {
        const seen: Array<LoggedEvent> = []
        let cursor = start
        while (true) {
          const done = !(yield* Ref.get(writing))
          const page = yield* log.read({ after: cursor, limit: 50, kinds: ["property"] })
          seen.push(...page)
          cursor = page.at(-1)?.seq ?? cursor
          if (done && page.length === 0) return seen
          yield* Effect.yieldNow
        }
      })

      const reading = yield* Effect.forkChild(reader)
      const committed = (yield* Effect.forEach([1, 2, 3, 4], writer, { concurrency: 4 })).flat()
      yield* Ref.set(writing, false)
      const seen = yield* Fiber.join(reading)
      const names = seen.map(({ data }) => (data as { name: string }).name)

      assert.strictEqual(names.length, committed.length)
      assert.deepStrictEqual([...names].sort(), [...committed].sort())
      assert.isTrue(seen.every(({ seq }, i) => i === 0 || seq > (seen[i - 1]?.seq ?? 0n)))
    }),
  )

  it.effect("an unrelated open transaction delays no event", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const { tx } = yield* Postgres
      // A separate client: our connections limit how long a transaction may idle.
      const { databaseUrl } = yield* Stores
      const otherClient = yield* PgClient.make({ url: databaseUrl, maxConnections: 1 })
      yield* otherClient`create table unrelated (id integer)`
      const open = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const unrelated = yield* Effect.forkChild(
        otherClient.withTransaction(
          Effect.gen(function* () {
            yield* otherClient`insert into unrelated values (1)`
            yield* Deferred.succeed(open, undefined)
            yield* Deferred.await(release)
          }),
        ),
      )
      yield* Deferred.await(open)
      const until = performance.now() + (process.env.PRESAGE_SOAK === "1" ? 30_000 : 300)
      let cursor = yield* log.head
      let count = 0
      while (performance.now() < until || count < 20) {
        yield* tx(log.append([{ kind: "prompt", ref: BigInt(count), sub: 3 }]))
        const page = yield* log.read({ after: cursor, limit: 10 })
        assert.deepStrictEqual(
          page.map(({ kind, ref, sub, data }) => [kind, ref, sub, data]),
          [["prompt", BigInt(count), 3, null]],
        )
        cursor = page[0]?.seq ?? cursor
        count += 1
      }
      assert.isUndefined(unrelated.pollUnsafe(), "the unrelated transaction ended before it was released")
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(unrelated)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)),
  )

  it.effect("an append wakes listeners", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const { tx } = yield* Postgres
      // Longer than the test's timeout: only the notification can end it.
      const woken = yield* log.wakes("10 minutes").pipe(Stream.take(2), Stream.runDrain, Effect.forkChild)
      yield* tx(log.append([{ kind: "wake" }])).pipe(
        Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: () => woken.pollUnsafe() !== undefined }),
        Effect.timeout("2 minutes"),
      )
    }),
  )

  it.effect("processes that start together on an empty log all find its partitions", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const { sql } = yield* Postgres
      const partitions = sql<{ name: string }>`
        select inhrelid::regclass::text as name from pg_inherits where inhparent = 'event_log'::regclass`
      for (let round = 0; round < (process.env.PRESAGE_SOAK === "1" ? 5 : 2); round++) {
        for (const { name } of yield* partitions) yield* sql`drop table ${sql(name)}`
        yield* Effect.all(
          Array.from({ length: 8 }, () => log.maintain(Duration.days(7))),
          { concurrency: 8 },
        )
        assert.lengthOf(yield* partitions, 8)
      }
    }),
  )

  it.effect("retention drops expired days and keeps a week of partitions ahead", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const { sql } = yield* Postgres
      yield* sql`create table event_log_20200101 partition of event_log for values from ('2020-01-01T00:00:00Z') to ('2020-01-02T00:00:00Z')`
      assert.deepStrictEqual(yield* log.maintain(Duration.days(7)), ["event_log_20200101"])
      assert.deepStrictEqual(yield* log.maintain(Duration.days(7)), [])
      const [ahead] = yield* sql<{
        n: number
      }>`select count(*)::int as n from pg_inherits where inhparent = 'event_log'::regclass`
      assert.strictEqual(ahead?.n, 8)
    }),
  )
})
