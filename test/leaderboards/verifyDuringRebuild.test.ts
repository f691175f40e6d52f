import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { checkBoards } from "#src/repair/verify/boards.ts"
import { verifyOnly } from "#src/repair/verify.ts"
import { Dice } from "#src/simulator/random.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { holding, untilWaiting } from "#test/support/hold.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { randomLedger } from "./support/randomLedger.ts"

const stores = () => ledger.pipe(Layer.provideMerge(testFoundation({ "postgres.lock-timeout": "1m" })))

/** The result for the boards. */
const verified = Effect.map(
  verifyOnly(checkBoards),
  (checks) => checks.find(({ check }) => check === "boards")?.detail ?? "",
)
const sumsAt = (block: number | string) => new RegExp(`^[1-9]\\d* rows match the ledger at block ${block},`)

/** Boards so far behind the newest block that the next refresh rebuilds them. */
const outdatedBoards = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const { append, head } = yield* randomLedger(new Dice(7), Date.UTC(2026, 10, 15))
  yield* Effect.repeat(append(true), { times: 20 })
  assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
  const built = head()
  yield* Effect.repeat(append(true), { times: 5 })
  yield* sql`update leaderboard_state set at = at - interval '7 hours'`
  return { built, newest: head() }
})

/** Also ends when the last one does not wait; the test then fails on its result. */
const untilLastWaits = <A, E>(count: number, last: Fiber.Fiber<A, E>) =>
  Effect.raceFirst(untilWaiting(count), Fiber.await(last))

layer(stores(), { excludeTestServices: true })("Verification", (it) => {
  it.effect("checks the boards of its snapshot, and a concurrent rebuild waits for it", () =>
    Effect.gen(function* () {
      const { built, newest } = yield* outdatedBoards
      const [verifying, rebuilding] = yield* holding(
        // Verification reads this table after it took its snapshot and before the boards; a rebuild does not.
        "lock table event_log in access exclusive mode",
        Effect.gen(function* () {
          const verifying = yield* Effect.forkScoped(verified)
          yield* untilLastWaits(1, verifying)
          const rebuilding = yield* Effect.forkScoped(refreshLeaderboards)
          yield* untilLastWaits(2, rebuilding)
          return [verifying, rebuilding] as const
        }),
      )
      assert.match(yield* Fiber.join(verifying), sumsAt(built))
      assert.strictEqual(yield* Fiber.join(rebuilding), "rebuilt")
      assert.match(yield* verified, sumsAt(newest))
    }),
  )
})

layer(stores(), { excludeTestServices: true })(
  "Verification that starts while rebuilt boards replace the old ones",
  (it) => {
    it.effect("takes its snapshot after the replacement has succeeded or failed", () =>
      Effect.gen(function* () {
        const { built, newest } = yield* outdatedBoards
        const [verifying, rebuilding] = yield* holding(
          // The rebuild waits for this lock after it has replaced the boards, before it commits.
          `select from block where number = ${newest} for update`,
          Effect.gen(function* () {
            const rebuilding = yield* Effect.forkScoped(refreshLeaderboards)
            yield* untilLastWaits(1, rebuilding)
            const verifying = yield* Effect.forkScoped(verified)
            yield* untilLastWaits(2, verifying)
            return [verifying, rebuilding] as const
          }),
        )
        assert.match(yield* Fiber.join(verifying), sumsAt(`(${built}|${newest})`))
        assert.strictEqual(yield* Fiber.join(rebuilding), "rebuilt")
        assert.match(yield* verified, sumsAt(newest))
      }),
    )
  },
)
