import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Layer, Result } from "effect"
import fc from "fast-check"
import type { AccountId } from "#src/domain/Account.ts"
import { Quota } from "#src/limits/Quota.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const account = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ id: AccountId }>`insert into account (name, plan) values ('test', 'growth') returning id`
  return (row as { id: AccountId }).id
})

/** How a request ends. */
const endings = ["ok", "refused", "failed", "defect", "aborted"] as const
type Ending = (typeof endings)[number]

/** How each piece of a request ends, and what happens to the request meanwhile. */
interface PiecedRequest {
  readonly pieces: ReadonlyArray<"ok" | "failed" | "defect">
  readonly beside: "ok" | "failed" | "aborted"
}

const isSoak = process.env.PRESAGE_SOAK === "1"
/** A soak takes a quarter of an hour on a busy machine. */
const patience = isSoak ? 3_600_000 : 300_000

const noon = Date.UTC(2028, 5, 15, 12)

/** Runs so long after a fixed moment. */
const later = (millis: number) => {
  const moved = noon + millis
  return <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Clock.Clock, (clock) => {
      const shown: Clock.Clock = Object.create(clock, { currentTimeMillis: { value: Effect.succeed(moved) } })
      return Effect.provideService(effect, Clock.Clock, shown)
    })
}

layer(Quota.layer.pipe(Layer.provideMerge(testFoundation())), { excludeTestServices: true })("Quota traces", (it) => {
  const workOf = (ending: Ending): Effect.Effect<number, string> => {
    if (ending === "ok") return Effect.succeed(200)
    if (ending === "refused") return Effect.succeed(404)
    if (ending === "failed") return Effect.fail("upstream")
    return ending === "defect" ? Effect.die("a bug") : Effect.never
  }

  /** Whether the answer was given and counted. */
  const request = (id: AccountId, limit: number, ending: Ending) =>
    Effect.gen(function* () {
      const quota = yield* Quota
      const begun = yield* Deferred.make<void>()
      const work = Effect.andThen(Deferred.succeed(begun, undefined), workOf(ending))
      const metered = quota.metered(id, "social", limit, work, (status) => status === 200).pipe(later(0))
      const fiber = yield* Effect.forkChild(metered)
      if (ending === "aborted") {
        yield* Effect.race(Deferred.await(begun), Fiber.await(fiber))
        yield* Fiber.interrupt(fiber)
      }
      const exit = yield* Fiber.await(fiber)
      return Exit.isSuccess(exit) && exit.value.answer === 200
    })

  it.effect(
    "units used are the answers that counted, never more than the limit, whatever fails beside them",
    () =>
      Effect.gen(function* () {
        const quota = yield* Quota
        const { sql } = yield* Postgres
        const traces = fc.sample(
          fc.record({
            limit: fc.integer({ min: 0, max: 6 }),
            rounds: fc.array(fc.array(fc.constantFrom(...endings), { minLength: 1, maxLength: 6 }), {
              minLength: 1,
              maxLength: 4,
            }),
          }),
          isSoak ? 10_000 : 25,
        )
        for (const trace of traces) {
          const id = yield* account
          let answered = 0
          for (const round of trace.rounds) {
            const results = yield* Effect.all(
              round.map((ending) => request(id, trace.limit, ending)),
              { concurrency: "unbounded" },
            )
            const before = answered
            answered += results.filter(Boolean).length
            const willing = round.filter((ending) => ending === "ok").length
            const shown = JSON.stringify(trace)
            assert.isAtMost(answered, trace.limit, shown)
            // Requests that fail may hold the last units for a moment, but never when there are enough for all.
            if (before + round.length <= trace.limit) assert.strictEqual(answered - before, willing, shown)
            if (willing === round.length) assert.strictEqual(answered, Math.min(trace.limit, before + willing), shown)
            assert.strictEqual(yield* quota.used(id, "social", "2028-06-01"), answered, shown)
          }
          const [held] = yield* sql<{ count: number }>`
          select count(*)::integer as count from quota_reservation where account_id = ${id}::uuid`
          assert.strictEqual(held?.count, 0)
        }
      }),
    patience,
  )

  /** Answers that were given. */
  const pieced = (id: AccountId, limit: number, { pieces, beside }: PiecedRequest) =>
    Effect.gen(function* () {
      const quota = yield* Quota
      const begun = yield* Deferred.make<void>()
      const rest = Effect.andThen(Deferred.succeed(begun, undefined), workOf(beside))
      const metered = quota.meteredEach(id, "social", limit, pieces.map(workOf), rest).pipe(later(0))
      const fiber = yield* Effect.forkChild(metered)
      if (beside === "aborted") {
        yield* Effect.race(Deferred.await(begun), Fiber.await(fiber))
        yield* Fiber.interrupt(fiber)
      }
      const exit = yield* Fiber.await(fiber)
      return Exit.isSuccess(exit) ? exit.value.results.filter(Result.isSuccess).length : 0
    })

  it.effect(
    "units used are the pieces that were answered of requests that were, whatever fails beside them",
    () =>
      Effect.gen(function* () {
        const quota = yield* Quota
        const { sql } = yield* Postgres
        const request = fc.record({
          pieces: fc.array(
            fc.oneof(
              { weight: 4, arbitrary: fc.constant("ok" as const) },
              { weight: 2, arbitrary: fc.constant("failed" as const) },
              { weight: 1, arbitrary: fc.constant("defect" as const) },
            ),
            { maxLength: 5 },
          ),
          beside: fc.constantFrom("ok" as const, "ok" as const, "ok" as const, "failed" as const, "aborted" as const),
        })
        const traces = fc.sample(
          fc.record({
            limit: fc.integer({ min: 0, max: 12 }),
            rounds: fc.array(fc.array(request, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
          }),
          isSoak ? 10_000 : 15,
        )
        for (const trace of traces) {
          const id = yield* account
          let answered = 0
          for (const round of trace.rounds) {
            const counts = yield* Effect.all(
              round.map((each) => pieced(id, trace.limit, each)),
              { concurrency: "unbounded" },
            )
            const before = answered
            answered += counts.reduce((sum, count) => sum + count, 0)
            const shown = JSON.stringify(trace)
            const asked = round.reduce((sum, { pieces }) => sum + pieces.length, 0)
            const isGiven = ({ pieces, beside }: PiecedRequest) => beside === "ok" && !pieces.includes("defect")
            const willing = round
              .filter(isGiven)
              .reduce((sum, { pieces }) => sum + pieces.filter((piece) => piece === "ok").length, 0)
            assert.isAtMost(answered, trace.limit, shown)
            if (before + asked <= trace.limit) assert.strictEqual(answered - before, willing, shown)
            if (willing === asked) assert.strictEqual(answered, Math.min(trace.limit, before + willing), shown)
            assert.strictEqual(yield* quota.used(id, "social", "2028-06-01"), answered, shown)
          }
          const [held] = yield* sql<{ count: number }>`
          select count(*)::integer as count from quota_reservation where account_id = ${id}::uuid`
          assert.strictEqual(held?.count, 0)
        }
      }),
    patience,
  )

  it.effect("a unit that a dead process held is free again after ten minutes, and settling twice charges once", () =>
    Effect.gen(function* () {
      const quota = yield* Quota
      const id = yield* account
      yield* quota.reserve(id, "social", 1).pipe(later(0))
      assert.strictEqual((yield* Effect.flip(quota.reserve(id, "social", 1).pipe(later(1))))._tag, "QuotaExceeded")
      const reservation = yield* quota.reserve(id, "social", 1).pipe(later(600_001))
      assert.strictEqual((yield* quota.settle(reservation).pipe(later(600_002))).remaining, 0)
      assert.strictEqual((yield* quota.settle(reservation).pipe(later(600_002))).remaining, 0)
      yield* quota.release(reservation)
      assert.strictEqual(yield* quota.used(id, "social", "2028-06-01"), 1)
    }),
  )

  it.effect("a request that outlives its reservation is charged again, or refused", () =>
    Effect.gen(function* () {
      const quota = yield* Quota
      const id = yield* account
      const slow = yield* quota.reserve(id, "social", 1).pipe(later(0))
      const other = yield* quota.reserve(id, "social", 1).pipe(later(600_001))
      assert.strictEqual((yield* Effect.flip(quota.settle(slow).pipe(later(700_000))))._tag, "QuotaExceeded")
      yield* quota.release(other)
      assert.strictEqual((yield* quota.settle(slow).pipe(later(700_000))).remaining, 0)
    }),
  )
})
