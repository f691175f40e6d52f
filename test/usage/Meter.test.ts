import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { retryTransient } from "#src/platform/sql/sqlFailure.ts"
import { Meter, type UsageEntry } from "#src/usage/Meter.ts"
import * as UsageStore from "#src/usage/UsageStore.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { anAccount, storedSums, strangerAccount, strangerKey, sumsOf } from "./support/accounts.ts"
import { unreliablePostgres } from "./support/unreliablePostgres.ts"

const soak = process.env.PRESAGE_SOAK === "1"
const noon = Date.UTC(2026, 1, 10, 12)
const today = "2026-02-10"

/** Another process, with a clock that only the test moves. */
const meter = Layer.fresh(Meter.layer).pipe(Layer.provideMerge(TestClock.layer()))

const startMeter = Effect.gen(function* () {
  const built = yield* Layer.build(meter)
  yield* Effect.provide(TestClock.setTime(noon), built)
  return yield* Effect.provide(Meter, built)
})

const someUse = ({ account, keys }: Effect.Success<ReturnType<typeof anAccount>>, many: number) =>
  fc.sample(
    fc.record({
      account: fc.constant(account),
      key: fc.constantFrom(...keys),
      family: fc.constantFrom("crypto", "wallets", "keys", "stream"),
      requests: fc.integer({ min: 0, max: 3 }),
      bytes: fc.integer({ min: 0, max: 5_000_000_000 }),
      day: fc.constant(today),
    }),
    many,
  )

layer(testFoundation(), { excludeTestServices: true })("Meter", (it) => {
  it.effect("two processes that count and write concurrently store the exact sums", () =>
    Effect.gen(function* () {
      const who = yield* anAccount(3)
      const meters = [yield* startMeter, yield* startMeter]
      const rounds = soak ? 500 : 40
      const shares = meters.map((each) => ({ each, use: someUse(who, rounds * 50) }))
      yield* Effect.forEach(
        shares,
        ({ each, use }) =>
          Effect.forEach(Array.from({ length: rounds }).keys(), (round) => {
            for (const entry of use.slice(round * 50, (round + 1) * 50)) each.count(entry)
            // Two concurrent flushes, as when a process ends while it is writing.
            return Effect.all([each.flush, each.flush], { concurrency: 2 })
          }),
        { concurrency: 2 },
      )
      assert.deepStrictEqual(yield* storedSums(who.account), sumsOf(shares.flatMap(({ use }) => use)))
    }).pipe(Effect.scoped),
  )

  it.effect("cut connections neither lose nor duplicate usage", () =>
    Effect.gen(function* () {
      const who = yield* anAccount(2)
      const { sql, reads } = yield* Postgres
      const each = yield* startMeter
      const rounds = soak ? 300 : 30
      const use = someUse(who, rounds * 20)
      let failures = 0
      const cut = reads`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'presage'`
      yield* Effect.forEach(Array.from({ length: rounds }).keys(), (round) => {
        for (const entry of use.slice(round * 20, (round + 1) * 20)) each.count(entry)
        const flush = Effect.catch(each.flush, () => Effect.sync(() => (failures += 1)))
        return Effect.all([flush, cut], { concurrency: 2 })
      })
      assert.isAbove(failures, 0)
      yield* retryTransient()(each.flush)
      yield* retryTransient()(sql`select 1`)
      assert.deepStrictEqual(yield* storedSums(who.account), sumsOf(use))
    }).pipe(Effect.scoped),
  )

  for (const mishap of ["commit is lost", "answer is lost"] as const) {
    it.effect(`a batch is counted once when its ${mishap}`, () =>
      Effect.gen(function* () {
        const who = yield* anAccount(2)
        const { line, postgres } = yield* unreliablePostgres
        const use = someUse(who, 100)
        yield* Effect.gen(function* () {
          const each = yield* startMeter
          for (const entry of use.slice(0, 50)) each.count(entry)
          line.next(mishap)
          const failure = yield* Effect.flip(each.flush)
          assert.strictEqual(failure._tag, "CommitUnknown")
          // Usage counted meanwhile belongs to the next batch.
          for (const entry of use.slice(50)) each.count(entry)
          yield* retryTransient()(each.flush)
          assert.strictEqual(line.happened(), 1)
        }).pipe(Effect.scoped, Effect.provide(postgres))
        assert.deepStrictEqual(yield* storedSums(who.account), sumsOf(use))
      }).pipe(Effect.scoped),
    )
  }

  it.effect("usage is kept while Postgres is unavailable, and stored when it is back", () =>
    Effect.gen(function* () {
      const who = yield* anAccount(2)
      const stored = Effect.provideService(storedSums(who.account), Postgres, yield* Postgres)
      const { line, postgres } = yield* unreliablePostgres
      const use = someUse(who, 200)
      yield* Effect.gen(function* () {
        const each = yield* startMeter
        line.away(true)
        for (const [i, entry] of use.entries()) {
          each.count(entry)
          if (i % 50 === 0) yield* Effect.flip(each.flush)
        }
        assert.deepStrictEqual(yield* stored, {})
        line.away(false)
        yield* retryTransient()(each.flush)
      }).pipe(Effect.scoped, Effect.provide(postgres))
      assert.deepStrictEqual(yield* stored, sumsOf(use))
    }).pipe(Effect.scoped),
  )

  it.effect("a repeated or older batch changes nothing", () =>
    Effect.gen(function* () {
      const { account, keys } = yield* anAccount(1)
      const postgres = yield* Postgres
      const [key = strangerKey()] = keys
      const rows = [{ account_id: account, key_id: key, day: today, family: "crypto", requests: 7n, bytes: 3n }]
      const writer = randomUUID()
      const batch = (number: bigint): UsageStore.UsageBatch => ({ writer, number, rows })
      const sevens = (times: number) =>
        sumsOf([{ account, key, day: today, family: "crypto", requests: 7 * times, bytes: 3 * times }])
      const write = (number: bigint) => postgres.tx(UsageStore.write(postgres.sql, batch(number)))
      yield* Effect.all([write(1n), write(1n)], { concurrency: 2 })
      assert.deepStrictEqual(yield* storedSums(account), sevens(1))
      yield* write(2n)
      yield* write(1n)
      assert.deepStrictEqual(yield* storedSums(account), sevens(2))
    }),
  )

  it.effect("the end of the process stores the usage in memory", () =>
    Effect.gen(function* () {
      const who = yield* anAccount(2)
      const use = someUse(who, 100)
      const scope = yield* Scope.make()
      const each = yield* Scope.provide(startMeter, scope)
      for (const entry of use) each.count(entry)
      assert.deepStrictEqual(yield* storedSums(who.account), {})
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* storedSums(who.account), sumsOf(use))
    }),
  )

  it.effect("the end of the process stores an unconfirmed batch once", () =>
    Effect.gen(function* () {
      const who = yield* anAccount(2)
      const { line, postgres } = yield* unreliablePostgres
      const use = someUse(who, 100)
      yield* Effect.gen(function* () {
        const each = yield* Effect.provide(Meter, yield* Layer.build(Layer.fresh(Meter.layer)))
        for (const entry of use) each.count(entry)
        line.next("answer is lost")
      }).pipe(Effect.scoped, Effect.provide(postgres))
      assert.strictEqual(line.happened(), 1)
      const stored = Object.values(yield* storedSums(who.account))
      const total = (part: 0 | 1, sums: ReadonlyArray<readonly [number, number]>) =>
        sums.reduce((s, each) => s + each[part], 0)
      for (const part of [0, 1] as const)
        assert.strictEqual(total(part, stored), total(part, Object.values(sumsOf(use))))
    }).pipe(Effect.scoped),
  )

  it.effect("an end without Postgres is bounded in time and reports the loss", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      const { account, keys } = yield* anAccount(1)
      const [key = strangerKey()] = keys
      const { line, postgres } = yield* unreliablePostgres
      const scope = yield* Scope.make()
      const services = yield* Scope.provide(Layer.build(Layer.mergeAll(postgres, TestClock.layer(), logger)), scope)
      const inner = yield* Scope.fork(scope)
      const each = yield* Layer.fresh(Meter.layer).pipe(
        Layer.build,
        Effect.flatMap((built) => Effect.provide(Meter, built)),
        Scope.provide(inner),
        Effect.provide(services),
      )
      each.count({ account, key, family: "crypto", requests: 3 })
      line.away(true)
      yield* Effect.provide(Effect.flip(each.flush), services)
      each.count({ account, key, family: "crypto", requests: 4 })
      const closing = yield* Effect.forkChild(Effect.provide(Scope.close(scope, Exit.void), services))
      yield* eventually(
        "it has ended",
        Effect.provide(TestClock.adjust("1 second"), services).pipe(
          Effect.andThen(Effect.sync(() => closing.pollUnsafe() !== undefined)),
        ),
      )
      assert.match(said.at(-1) ?? "", /^lost usage of 7 requests because it cannot be stored: /)
    }).pipe(Effect.scoped),
  )

  it.effect("usage is stored every few seconds per UTC day, and old processes are deleted", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { account, keys } = yield* anAccount(1)
      const [key = strangerKey()] = keys
      const [gone, recent] = [randomUUID(), randomUUID()]
      yield* sql`insert into usage_writer (writer, portion, at) values
        (${gone}::uuid, 5, now() - interval '25 hours'), (${recent}::uuid, 5, now() - interval '23 hours')`
      const entry: UsageEntry = { account, key, family: "crypto" }
      const built = yield* Layer.build(meter)
      yield* Effect.gen(function* () {
        const { count } = yield* Meter
        yield* TestClock.setTime(Date.UTC(2024, 1, 29, 23, 59, 59, 999))
        count(entry)
        yield* TestClock.adjust("1 millis")
        count(entry)
        count(entry)
      }).pipe(Effect.provide(built))
      const expected = sumsOf([
        { ...entry, day: "2024-02-29" },
        { ...entry, day: "2024-03-01", requests: 2 },
      ])
      yield* eventually(
        "both days are written",
        Effect.provide(TestClock.adjust("5 seconds"), built).pipe(
          Effect.andThen(storedSums(account)),
          Effect.map((stored) => Object.keys(stored).length === 2),
        ),
      )
      assert.deepStrictEqual(yield* storedSums(account), expected)
      const writers = sql<{ writer: string }>`select writer from usage_writer where portion = 5`
      yield* eventually(
        "the old one is forgotten",
        Effect.map(writers, (rows) => rows.length === 1 && rows[0]?.writer === recent),
      )
    }).pipe(Effect.scoped),
  )

  it.effect("usage that cannot be stored is reported and does not block the rest", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      const { account, keys } = yield* anAccount(1)
      const other = yield* anAccount(1)
      const [key = strangerKey()] = keys
      const each = yield* Effect.provide(startMeter, logger)
      const stranger = strangerKey()
      const good = { account, key, day: today, requests: 1, bytes: 0 }
      each.count({ ...good, family: "crypto" })
      each.count({ ...good, key: stranger, family: "crypto" })
      each.count({ ...good, account: strangerAccount(), family: "crypto" })
      // Usage of one account's key cannot be charged to another account.
      each.count({ ...good, account: other.account, family: "crypto" })
      each.count({ ...good, family: "crypto", requests: Number.NaN, bytes: -5 })
      each.count({ ...good, family: "crypto", requests: 0.5, bytes: Number.POSITIVE_INFINITY })
      each.count({ ...good, family: "no\0word" })
      each.count({ ...good, family: "No Word" })
      yield* Effect.provide(each.flush, logger)
      assert.deepStrictEqual(
        yield* storedSums(account),
        sumsOf([
          { ...good, family: "crypto" },
          { ...good, family: "other", requests: 2 },
        ]),
      )
      assert.deepStrictEqual(yield* storedSums(other.account), {})
      assert.lengthOf(said, 1)
      assert.match(said[0] ?? "", /^skipped usage of unknown keys \(3 sums, /)
      yield* Effect.provide(each.flush, logger)
      assert.lengthOf(said, 1)
    }).pipe(Effect.scoped),
  )
})
