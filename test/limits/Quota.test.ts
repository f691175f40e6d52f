import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import { Quota } from "#src/limits/Quota.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const at = (moment: string) => {
  const millis = Date.parse(moment)
  return <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Clock.Clock, (clock) => {
      const stopped: Clock.Clock = Object.create(clock, { currentTimeMillis: { value: Effect.succeed(millis) } })
      return Effect.provideService(effect, Clock.Clock, stopped)
    })
}

layer(Quota.layer.pipe(Layer.provideMerge(testFoundation())), { excludeTestServices: true })("Quota", (it) => {
  const account = Effect.gen(function* () {
    const { sql } = yield* Postgres
    const [row] = yield* sql<{ id: AccountId }>`insert into account (name, plan) values ('test', 'growth') returning id`
    return (row as { id: AccountId }).id
  })
  const used = (id: AccountId) =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const rows = yield* sql<{ month: string; used: number }>`
        select month::text, used from quota_month where account_id = ${id}::uuid order by month`
      return rows.map(({ month, used }) => `${month} ${used}`)
    })

  it.effect("grants exactly the limit to concurrent requests, and reports the start of the next month", () =>
    Effect.gen(function* () {
      const quota = yield* Quota
      const id = yield* account
      const asked = Effect.result(quota.reserve(id, "social", 7))
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => asked),
        { concurrency: "unbounded" },
      ).pipe(at("2028-02-29T23:59:59.999Z"))
      const left = answers.flatMap((each) => (each._tag === "Success" ? [each.success.status.remaining] : []))
      assert.deepStrictEqual(
        left.sort((a, b) => a - b),
        [0, 1, 2, 3, 4, 5, 6],
      )
      for (const each of answers) {
        if (each._tag === "Success") continue
        const { failure } = each
        assert.strictEqual(failure._tag, "QuotaExceeded")
        assert.deepInclude(failure, { limit: 7, resetAt: Date.parse("2028-03-01T00:00:00Z") / 1000 })
      }
      const { status } = yield* quota.reserve(id, "social", 7).pipe(at("2028-03-01T00:00:00.000Z"))
      assert.deepStrictEqual(status, { limit: 7, remaining: 6, resetAt: Date.parse("2028-04-01T00:00:00Z") / 1000 })
      assert.deepStrictEqual(yield* used(id), ["2028-02-01 7", "2028-03-01 1"])
    }),
  )

  it.effect("quotas, accounts and lowered limits are independent", () =>
    Effect.gen(function* () {
      const quota = yield* Quota
      const [one, other] = [yield* account, yield* account]
      yield* Effect.all([quota.reserve(one, "social", 3), quota.reserve(one, "social", 3)])
      assert.strictEqual((yield* Effect.flip(quota.reserve(one, "social", 1)))._tag, "QuotaExceeded")
      assert.strictEqual((yield* Effect.flip(quota.reserve(other, "social", 0)))._tag, "QuotaExceeded")
      assert.strictEqual((yield* quota.reserve(one, "exports", 1)).status.remaining, 0)
      assert.strictEqual((yield* quota.reserve(other, "social", 1)).status.remaining, 0)
    }),
  )

  it.effect("a unit is charged only for an answer that counts", () =>
    Effect.gen(function* () {
      const quota = yield* Quota
      const id = yield* account
      const metered = <E>(work: Effect.Effect<number, E>) =>
        quota.metered(id, "social", 2, work, (status) => status === 200).pipe(at("2028-12-31T12:00:00Z"))
      assert.deepInclude((yield* metered(Effect.succeed(404))).status, { remaining: 2 })
      assert.strictEqual(yield* Effect.flip(metered(Effect.fail("upstream is down" as const))), "upstream is down")
      assert.strictEqual((yield* Effect.exit(metered(Effect.die("a bug"))))._tag, "Failure")
      const begun = yield* Deferred.make<void>()
      const left = yield* Effect.forkChild(metered(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)))
      yield* Deferred.await(begun)
      assert.deepStrictEqual(yield* used(id), ["2028-12-01 1"])
      yield* Fiber.interrupt(left)
      assert.deepStrictEqual(yield* used(id), ["2028-12-01 0"])
      const { answer, status } = yield* metered(Effect.succeed(200))
      assert.strictEqual(answer, 200)
      assert.deepStrictEqual(status, { limit: 2, remaining: 1, resetAt: Date.parse("2029-01-01T00:00:00Z") / 1000 })
      assert.deepStrictEqual(yield* used(id), ["2028-12-01 1"])
    }),
  )

  it.effect("a unit of last month is returned to last month", () =>
    Effect.gen(function* () {
      const quota = yield* Quota
      const id = yield* account
      const reservation = yield* quota.reserve(id, "social", 5).pipe(at("2028-05-31T23:59:59Z"))
      yield* quota.reserve(id, "social", 5).pipe(at("2028-06-01T00:00:01Z"))
      yield* quota.release(reservation).pipe(at("2028-06-01T00:00:02Z"))
      assert.deepStrictEqual(yield* used(id), ["2028-05-01 0", "2028-06-01 1"])
    }),
  )

  it.effect("requests are refused before any work while Postgres is unavailable", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const id = yield* account
      yield* sql`alter table quota_month rename to quota_month_away`
      let begun = false
      const work = Effect.sync(() => {
        begun = true
      })
      const quota = yield* Quota
      const refused = yield* Effect.flip(quota.metered(id, "social", 5, work, () => true))
      yield* sql`alter table quota_month_away rename to quota_month`
      assert.strictEqual(refused._tag, "QuotaUnavailable")
      assert.isFalse(begun)
    }),
  )
})
