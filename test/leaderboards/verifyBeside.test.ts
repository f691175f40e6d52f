import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { verifyLedger } from "#src/repair/verify.ts"
import { Dice } from "#src/simulator/random.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { holding, untilWaiting } from "#test/support/hold.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { madeUpLedger } from "./support/madeUpLedger.ts"

const stores = () => ledger.pipe(Layer.provideMerge(testFoundation({ "postgres.lock-timeout": "1m" })))

/** What it says of the boards. */
const verified = Effect.map(verifyLedger, (checks) => checks.find(({ check }) => check === "boards")?.detail ?? "")
const sumsAt = (block: number | string) =>
  new RegExp(`^[1-9]\\d* rows are the sums that they should be at block ${block},`)

/** Boards so far behind the newest block that the next refresh builds them anew. */
const leftBehind = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const { append, head } = yield* madeUpLedger(new Dice(7), Date.UTC(2026, 10, 15))
  yield* Effect.repeat(append(true), { times: 20 })
  assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
  const built = head()
  yield* Effect.repeat(append(true), { times: 5 })
  yield* sql`update leaderboard_state set at = at - interval '7 hours'`
  return { built, newest: head() }
})

/** Whoever does not wait, though it is to be the last who does, is found out by what it sees. */
const untilLastWaits = <A, E>(count: number, last: Fiber.Fiber<A, E>) =>
  Effect.raceFirst(untilWaiting(count), Fiber.await(last))

layer(stores(), { excludeTestServices: true })("Verifying", (it) => {
  it.effect("looks at the boards of its picture, and those that are built anew meanwhile wait for it", () =>
    Effect.gen(function* () {
      const { built, newest } = yield* leftBehind
      const [verifying, rebuilding] = yield* holding(
        // Verifying reads it when it has its picture and has not come to the boards; building them does not.
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
  "Verifying that begins while boards take the earlier ones' places",
  (it) => {
    it.effect("takes its picture when they have, or have failed to", () =>
      Effect.gen(function* () {
        const { built, newest } = yield* leftBehind
        const [verifying, rebuilding] = yield* holding(
          // On which building them waits when they have taken their places, and all that is left is to say so.
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
