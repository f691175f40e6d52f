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
import { begin, type Gain, hashOf, make } from "./support/synthetic.ts"

const stores = ledger.pipe(
  Layer.provideMerge(testFoundation({ "postgres.lock-timeout": "1m", "postgres.statement-timeout": "1m" })),
)

const gains = (...amounts: ReadonlyArray<number>): ReadonlyArray<Gain> =>
  amounts.map((amount, i) => ({ wallet: i + 1, token: i + 1, amount }))

/** A ledger of ten blocks with gains, in which every token has a tag. */
const lived = Effect.gen(function* () {
  const lease = yield* (yield* Leases).seize("chain")
  const happen = make(lease)
  yield* begin
  for (const condition of [1, 2, 3, 4]) {
    yield* happen({ kind: "pair", condition })
    yield* happen({ kind: "market", condition, event: 1 })
  }
  yield* happen({ kind: "tags", event: 1, tags: ["a"], category: "x" })
  for (let block = 2; block <= 10; block++) yield* happen({ kind: "block", hours: 1, gains: gains(block, -block) })
  return { lease, happen }
})

/** On which a refresh waits when all that it has left to do is to say what it has done. */
const aboutToBeDone = (isBuilt: boolean) =>
  isBuilt
    ? "lock table leaderboard_state in share mode"
    : "insert into leaderboard_state (block, at, version, priced_at) values (0, now(), 0, now())"

const versions = Effect.flatMap(Postgres, ({ sql }) =>
  Effect.map(
    sql<{ version: bigint | null; rows: number }>`
      select (select version from leaderboard_state), (select count(*)::int from leaderboard_rolling) as rows`,
    ([row]) => row,
  ),
)

layer(stores, { excludeTestServices: true })("A refresh", (it) => {
  for (const isBuilt of [true, false]) {
    const board = isBuilt ? "a board" : "a board that was never built"

    it.effect(`of ${board}: a reorganisation that comes meanwhile makes it begin again`, () =>
      Effect.gen(function* () {
        const { lease, happen } = yield* lived
        const store = yield* Ledger
        const { sql } = yield* Postgres
        if (isBuilt) yield* refreshLeaderboards
        yield* happen({ kind: "block", hours: 1, gains: gains(100, 200, 300) })
        yield* sql`insert into leaderboard_count (scope, days, wallets) values (-1, 1, 0) on conflict do nothing`
        const refresh = yield* holding(
          // What a refresh deletes when its sums are made already.
          "select 1 from leaderboard_count where scope = -1 for update",
          Effect.gen(function* () {
            const refresh = yield* Effect.forkScoped(refreshLeaderboards)
            yield* untilWaiting(1)
            yield* store.rollback(lease, { number: 8, hash: hashOf(8).toString("hex") })
            yield* happen({ kind: "block", hours: 0, gains: gains(7) })
            return refresh
          }),
        )
        assert.strictEqual(yield* Fiber.join(refresh), isBuilt ? "advanced" : "rebuilt")
        yield* assertRollingExact("after it began again")
      }),
    )

    it.effect(
      `of ${board}: a reorganisation waits for one that is about to be done, and takes back what it counted`,
      () =>
        Effect.gen(function* () {
          const { lease, happen } = yield* lived
          const store = yield* Ledger
          const { sql } = yield* Postgres
          if (isBuilt) yield* refreshLeaderboards
          yield* happen({ kind: "block", hours: 1, gains: gains(100, 200, 300) })
          const [refresh, rollback] = yield* holding(
            aboutToBeDone(isBuilt),
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
          yield* assertRollingExact("after what was counted has been taken back")
        }),
    )

    it.effect(`of ${board} waits for a reorganisation that is under way`, () =>
      Effect.gen(function* () {
        const { lease, happen } = yield* lived
        const store = yield* Ledger
        if (isBuilt) yield* refreshLeaderboards
        yield* happen({ kind: "block", hours: 1, gains: gains(100, 200, 300) })
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

  it.effect("that builds all anew shows the earlier board until it is done", () =>
    Effect.gen(function* () {
      const { happen } = yield* lived
      const { sql } = yield* Postgres
      yield* refreshLeaderboards
      const before = yield* versions
      yield* happen({ kind: "block", hours: 1, gains: gains(1, 2, 3, 4) })
      yield* sql`update leaderboard_state set stale = true`
      const rebuild = yield* holding(
        "lock table leaderboard_state in share mode",
        Effect.gen(function* () {
          const rebuild = yield* Effect.forkScoped(refreshLeaderboards)
          yield* untilWaiting(1)
          assert.deepStrictEqual(yield* versions, before)
          yield* assertRollingExact("while it is built")
          assert.strictEqual(yield* refreshLeaderboards, "busy")
          return rebuild
        }),
      )
      assert.strictEqual(yield* Fiber.join(rebuild), "rebuilt")
      assert.isAbove((yield* versions)?.rows ?? 0, before?.rows ?? 0)
      yield* assertRollingExact("when it is built")
    }),
  )

  it.effect("leaves the boards alone while positions are computed anew, and builds them afterwards", () =>
    Effect.gen(function* () {
      yield* lived
      const { sql } = yield* Postgres
      yield* refreshLeaderboards
      const rebuilding = yield* Effect.forkScoped(rebuildPositions(() => Effect.never))
      yield* eventually(
        "the boards are left alone",
        Effect.map(refreshLeaderboards, (did) => did === "busy"),
      )
      yield* Fiber.interrupt(rebuilding)
      assert.strictEqual(yield* refreshLeaderboards, "unchanged")
      yield* sql`update realized_event set amount = 77 where block = 5`
      // There are no facts behind these events, so that none of them is left.
      yield* rebuildPositions()
      assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
      assert.strictEqual(yield* assertRollingExact("after positions were computed anew"), 0)
    }),
  )

  it.effect("waits while the history is being read, and shows what was built before", () =>
    Effect.gen(function* () {
      const { happen } = yield* lived
      const { sql } = yield* Postgres
      yield* sql`update chain_cursor set caught_up_at = null`
      assert.strictEqual(yield* refreshLeaderboards, "waits")
      yield* sql`update chain_cursor set caught_up_at = now()`
      yield* sql`insert into deferred_index values ('some_index', '')`
      assert.strictEqual(yield* refreshLeaderboards, "waits")
      yield* sql`delete from deferred_index`
      assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
      yield* happen({ kind: "block", hours: 7, gains: gains(5) })
      yield* sql`update chain_cursor set head = block + 1000`
      assert.strictEqual(yield* refreshLeaderboards, "waits")
      yield* sql`update chain_cursor set head = block`
      assert.strictEqual(yield* refreshLeaderboards, "rebuilt", "it is more than six hours behind")
      yield* assertRollingExact("after six hours")
    }),
  )

  it.effect("is what a worker does when it is asked to", () =>
    Effect.gen(function* () {
      yield* lived
      yield* Layer.build(leaderboards)
      yield* (yield* Jobs).enqueue(LeaderboardsRefresh, {})
      yield* eventually(
        "the boards are built",
        Effect.map(versions, (row) => row?.version === 1n),
      )
      assert.isAbove(yield* assertRollingExact("built by a worker"), 0)
    }),
  )
})
