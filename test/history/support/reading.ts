import { assert } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { compareBalances } from "#src/balances/compare.ts"
import { fillHistory } from "#src/history/fillHistory.ts"
import * as CoverageStore from "#src/ledger/coverage/CoverageStore.ts"
import { followerLease } from "#src/ledger/pauseFollower.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { verifyLedger } from "#src/repair/verify.ts"
import { followerOf } from "#test/ledger/support/following.ts"
import { patience } from "#test/support/patience.ts"

export const coverage = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const found = yield* CoverageStore.read(sql)
  return found ?? assert.fail("the ledger is empty")
})

/** Starts a follower that waits while positions are replaced, as the actor of this name does. */
export const startPausable = followerOf(followerLease)

/** Starts to read history behind the head, as an actor does. */
export const startHistory = Effect.gen(function* () {
  const leases = yield* Leases
  return yield* Effect.forkScoped(fillHistory(yield* leases.seize("history")))
})

/** Waits until positions count the history from this block on; fails if the reader fails. */
export const reachesBack = (block: number, reading: Fiber.Fiber<unknown, unknown>) =>
  Effect.raceFirst(
    Effect.repeat(coverage, {
      until: ({ positions }) => positions.block <= block,
      schedule: Schedule.spaced("100 millis"),
    }),
    Effect.andThen(Fiber.join(reading), Effect.die("the history reader ended")),
  ).pipe(Effect.timeout(patience))

export const assertSound = Effect.gen(function* () {
  for (const { check, ok, detail } of yield* verifyLedger) assert.isTrue(ok, `${check}: ${detail}`)
})

/** Balances of many wallets are those of the node. */
export const assertBalances = Effect.gen(function* () {
  const { compared, differences } = yield* compareBalances(1_000)
  assert.isAbove(compared, 0)
  assert.deepStrictEqual(differences, [])
})
