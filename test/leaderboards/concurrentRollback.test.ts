import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { leaderboards } from "#actors/leaderboards.ts"
import { LeaderboardsRefresh } from "#src/leaderboards/contracts.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { rebuildPositions } from "#src/repair/rebuild.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { eventually } from "#test/support/eventually.ts"
import { holding, untilWaiting } from "#test/support/hold.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { assertRollingExact } from "./support/expected.ts"
import { type Gain, hashOf, makeApply, reset } from "./support/synthetic.ts"

const stores = ledger.pipe(
  Layer.provideMerge(testFoundation({ "postgres.lock-timeout": "1m", "postgres.statement-timeout": "1m" })),
)

const gains = (...amounts: ReadonlyArray<number>): ReadonlyArray<Gain> =>
  amounts.map((amount, i) => ({ wallet: i + 1, token: i + 1, amount }))

/** A ledger of ten blocks with gains; every token has a tag. */
const tenBlocks = Effect.gen(function* () {
  const lease = yield* (yield* Leases).seize("chain")
  const apply = makeApply(lease)
  yield* reset
  for (const condition of [1, 2, 3, 4]) {
    yield* apply({ kind: "pair", condition })
    yield* apply({ kind: "market", condition, event: 1 })
  }
  yield* apply({ kind: "tags", event: 1, tags: ["a"], category: "x" })
  for (let block = 2; block <= 10; block++) yield* apply({ kind: "block", hours: 1, gains: gains(block, -block) })
  return { lease, apply }
})

/** A lock that a refresh waits for just before it commits. */
const beforeCommit = (isBuilt: boolean) =>
  isBuilt
    ? "lock table leaderboard_state in share mode"
    : "insert into leaderboard_state (block, at, version) values (0, now(), 0)"

const versions = Effect.flatMap(Postgres, ({ sql }) =>
  Effect.map(
    sql<{ version: bigint | null; rows: number }>`
      select (select version from leaderboard_state), (select count(*)::int from leaderboard_rolling) as rows`,
    ([row]) => row,
  ),
)

layer(stores, { excludeTestServices: true })("A leaderboard refresh", (it) => {
  for (const isBuilt of [true, false]) {
    const board = isBuilt ? "built boards" : "boards that were never built"

    it.effect(`of ${board} restarts when a reorganisation happens meanwhile`, () =>
      Effect.gen(function* () {
        const { lease, apply } = yield* tenBlocks
        const store = yield* Ledger
        const { sql } = yield* Postgres
        if (isBuilt) yield* refreshLeaderboards
        yield* apply({ kind: "block", hours: 1, gains: gains(100, 200, 300) })
        yield* sql`insert into leaderboard_count (scope, days, wallets) values (-1, 1, 0) on conflict do nothing`
        const refresh = yield* holding(
          // A refresh deletes this row after it has computed its sums.
          "select 1 from leaderboard_count where scope = -1 for update",
          Effect.gen(function* () {
            const refresh = yield* Effect.forkScoped(refreshLeaderboards)
            yield* untilWaiting(1)
            yield* store.rollback(lease, { number: 8, hash: hashOf(8).toString("hex") })
            yield* apply({ kind: "block", hours: 0, gains: gains(7) })
            return refresh
          }),
        )
        assert.strictEqual(yield* Fiber.join(refresh), isBuilt ? "advanced" : "rebuilt")
        yield* assertRollingExact("after the restart")
      }),
    )

    it.effect(`of ${board}, when about to commit, delays a reorganisation, which then retracts what was counted`, () =>
      Effect.gen(function* () {
        const { lease, apply } = yield* tenBlocks
        const store = yield* Ledger
        const { sql } = yield* Postgres
        if (isBuilt) yield* refreshLeaderboards
        yield* apply({ kind: "block", hours: 1, gains: gains(100, 200, 300) })
        const [refresh, rollback] = yield* holding(
          beforeCommit(isBuilt),
          Effect.gen(function* () {
            const refresh = yield* Effect.forkScoped(refreshLeaderboards)
            yield* untilWaiting(1)
            const rollback = yield* Effect.forkScoped(
              store.rollback(lease, { number: 8, hash: hashOf(8).toString("hex") }),
            )
            yield* untilWaiting(2)
            return [refresh, rollback] as const
          }),
        )
        assert.strictEqual(yield* Fiber.join(refresh), isBuilt ? "advanced" : "rebuilt")
        yield* Fiber.join(rollback)
        const [noted] = yield* sql<{ n: number }>`select count(*)::int as n from leaderboard_retracted_event`
        assert.strictEqual(noted?.n, 2 + 2 + 3)
        assert.strictEqual(yield* refreshLeaderboards, "advanced")
        yield* assertRollingExact("after the retraction")
      }),
    )

    it.effect(`of ${board} waits for a running reorganisation`, () =>
      Effect.gen(function* () {
        const { lease, apply } = yield* tenBlocks
        const store = yield* Ledger
        if (isBuilt) yield* refreshLeaderboards
        yield* apply({ kind: "block", hours: 1, gains: gains(100, 200, 300) })
        const [refresh, rollback] = yield* holding(
          "select 1 from chain_cursor for update",
          Effect.gen(function* () {
            const rollback = yield* Effect.forkScoped(
              store.rollback(lease, { number: 8, hash: hashOf(8).toString("hex") }),
            )
            yield* untilWaiting(1)
            const refresh = yield* Effect.forkScoped(refreshLeaderboards)
            yield* untilWaiting(2)
            return [refresh, rollback] as const
          }),
        )
        yield* Fiber.join(rollback)
        assert.strictEqual(yield* Fiber.join(refresh), isBuilt ? "advanced" : "rebuilt")
        yield* assertRollingExact("after the reorganisation")
      }),
    )
  }

  it.effect("keeps serving the old boards during a rebuild", () =>
    Effect.gen(function* () {
      const { apply } = yield* tenBlocks
      const { sql } = yield* Postgres
      yield* refreshLeaderboards
      const before = yield* versions
      yield* apply({ kind: "block", hours: 1, gains: gains(1, 2, 3, 4) })
      yield* sql`update leaderboard_state set stale = true`
      const rebuild = yield* holding(
        "lock table leaderboard_state in share mode",
        Effect.gen(function* () {
          const rebuild = yield* Effect.forkScoped(refreshLeaderboards)
          yield* untilWaiting(1)
          assert.deepStrictEqual(yield* versions, before)
          yield* assertRollingExact("during the rebuild")
          assert.strictEqual(yield* refreshLeaderboards, "busy")
          return rebuild
        }),
      )
      assert.strictEqual(yield* Fiber.join(rebuild), "rebuilt")
      assert.isAbove((yield* versions)?.rows ?? 0, before?.rows ?? 0)
      yield* assertRollingExact("after the rebuild")
    }),
  )

  it.effect("skips the boards while positions are rebuilt, and rebuilds them afterwards", () =>
    Effect.gen(function* () {
      yield* tenBlocks
      const { sql } = yield* Postgres
      yield* refreshLeaderboards
      const rebuilding = yield* Effect.forkScoped(rebuildPositions(() => Effect.never))
      yield* eventually(
        "the refresh is skipped",
        Effect.map(refreshLeaderboards, (did) => did === "busy"),
      )
      yield* Fiber.interrupt(rebuilding)
      assert.strictEqual(yield* refreshLeaderboards, "unchanged")
      yield* sql`update realized_event set amount = 77 where block = 5`
      // These events have no facts, so the rebuild leaves none of them.
      yield* rebuildPositions()
      assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
      assert.strictEqual(yield* assertRollingExact("after positions were rebuilt"), 0)
    }),
  )

  it.effect("waits while the history is being read, and rebuilds boards that are far behind", () =>
    Effect.gen(function* () {
      const { apply } = yield* tenBlocks
      const { sql } = yield* Postgres
      yield* sql`update chain_cursor set caught_up_at = null`
      assert.strictEqual(yield* refreshLeaderboards, "waits")
      yield* sql`update chain_cursor set caught_up_at = now()`
      yield* sql`insert into deferred_index values ('some_index', '')`
      assert.strictEqual(yield* refreshLeaderboards, "waits")
      yield* sql`delete from deferred_index`
      assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
      yield* apply({ kind: "block", hours: 7, gains: gains(5) })
      yield* sql`update chain_cursor set head = block + 1000`
      assert.strictEqual(yield* refreshLeaderboards, "waits")
      yield* sql`update chain_cursor set head = block`
      assert.strictEqual(yield* refreshLeaderboards, "rebuilt", "the boards are more than six hours behind")
      yield* assertRollingExact("after six hours")
    }),
  )

  it.effect("is run by a worker on request", () =>
    Effect.gen(function* () {
      yield* tenBlocks
      yield* Layer.build(leaderboards)
      yield* (yield* Jobs).enqueue(LeaderboardsRefresh, {})
      yield* eventually(
        "the boards are built",
        Effect.map(versions, (row) => row?.version === 1n),
      )
      assert.isAbove(yield* assertRollingExact("after the worker's build"), 0)
    }),
  )
})
