import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { rebuildPositions } from "#src/repair/rebuild.ts"
import { verifyLedger } from "#src/repair/verify.ts"
import { caughtUp, ledger } from "#test/ledger/support/following.ts"
import { livedDatabase, livingOn, sharedSeed } from "#test/ledger/support/livedThrough.ts"
import { assertEqualsTruth } from "#test/ledger/support/truth.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { command } from "./support/command.ts"
import { derivedRows } from "./support/derivedRows.ts"

const depth = 40
const isSoak = process.env.PRESAGE_SOAK === "1"

/** A history that was followed; its follower is still running. */
class Lived extends Context.Service<Lived, Effect.Success<ReturnType<typeof livingOn>>>()("test/repair/Lived") {}

const world = (seed: number) =>
  Layer.effect(Lived, livingOn(seed)).pipe(
    Layer.provideMerge(ledger),
    Layer.provideMerge(
      testFoundation({ "event-log.retention": "3650d", "ledger.reorg-depth": String(depth) }, [], livedDatabase(seed)),
    ),
  )

const failedChecks = Effect.map(verifyLedger, (checks) => checks.filter(({ ok }) => !ok))

const assertSound = Effect.map(failedChecks, (failed) => assert.deepStrictEqual(failed, []))

const recomputes = Effect.gen(function* () {
  const { simulation } = yield* Lived
  yield* assertEqualsTruth(simulation)
  yield* assertSound
  const before = yield* derivedRows(depth)
  assert.isAbove(before.undo.length, 0)
  const untouched = yield* rebuildPositions()
  assert.deepStrictEqual(untouched.differed, { positions: 0, realizedEvents: 0, undo: 0 })
  assert.deepStrictEqual(yield* derivedRows(depth), before)

  const { sql } = yield* Postgres
  for (const table of ["position", "realized_event", "position_undo"]) yield* sql`delete from ${sql(table)}`
  const rebuilt = yield* rebuildPositions()
  assert.deepStrictEqual(rebuilt.differed, {
    positions: before.positions.length,
    realizedEvents: before.realized.length,
    undo: before.undo.length,
  })
  assert.deepStrictEqual([rebuilt.positions, rebuilt.realizedEvents], [before.positions.length, before.realized.length])
  assert.deepStrictEqual(yield* derivedRows(depth), before)
})

/** Manual damage to derived rows, by the check that must find it; the checks do not depend on each other. */
const damages: ReadonlyArray<Readonly<Record<string, string>>> = [
  {
    positions: "update position set cost = cost + 1 where wallet % 3 = 0",
    realized: "update realized_event set sub = sub + 1000 where wallet % 2 = 0",
    undo: "update position_undo set cost = cost + 1",
  },
  {
    positions: "update position set changed_at = now() where wallet % 3 = 1",
    realized: "update realized_event set at = at + interval '1 second' where wallet % 2 = 0",
    undo: "delete from position_undo where wallet % 2 = 0",
  },
  {
    positions: "update position set redeemed = not redeemed where wallet % 3 = 2",
    realized: "delete from realized_event where block % 3 = 0",
    undo: "delete from position_undo",
  },
  {
    positions: "delete from position where wallet % 5 = 1",
    realized: "insert into realized_event values (1, 0, 0, now(), 1, 1, 0, 5)",
  },
  { positions: "insert into position values (-7, -9, 1, 1, 0, 1, 0, false, now())" },
]

/** Damage that no rebuild can repair, and its manual cure. */
const unrepairable: ReadonlyArray<{
  readonly check: string
  readonly harm: string
  readonly cure: string
  /** Checks that the damage may fail besides. */
  readonly also?: ReadonlyArray<string>
}> = [
  {
    check: "cursor",
    harm: "insert into collateral_flow select block + 1, 0, now(), 1, 1 from chain_cursor",
    cure: "delete from collateral_flow where block > (select block from chain_cursor)",
  },
  {
    check: "blocks",
    harm: "update block set parent = '\\x00' where number = (select block - 3 from chain_cursor)",
    cure: "update block b set parent = p.hash from block p where p.number = b.number - 1 and b.parent = '\\x00'",
  },
  {
    check: "blocks",
    harm: "update block set number = -number where number = (select block - 5 from chain_cursor)",
    cure: "update block set number = -number where number < 0",
    also: ["fills"],
  },
  {
    check: "blocks",
    harm: "update block set number = -number where number = (select block from chain_cursor)",
    cure: "update block set number = -number where number < 0",
    also: ["fills"],
  },
  {
    check: "fills",
    harm: "insert into fill select * from fill where log_index % 7 = 1",
    cure: "delete from fill a using fill b where a.tableoid = b.tableoid and a.ctid > b.ctid and a.block = b.block and a.log_index = b.log_index",
    also: ["zero-sum", "positions", "realized", "undo"],
  },
  {
    check: "fills",
    harm: "update block set transaction_logs[1] = transaction_logs[1] + 100000 where number in (select block from fill)",
    cure: "update block set transaction_logs[1] = transaction_logs[1] - 100000 where transaction_logs[1] >= 100000",
  },
  {
    check: "events",
    harm: "insert into event_log (kind, ref, sub) select 'fill', block + 2, 0 from chain_cursor",
    cure: "insert into event_log (kind, ref, sub) select 'reorg', block, 0 from chain_cursor",
  },
]

layer(world(sharedSeed), { excludeTestServices: true })("verifyLedger and rebuildPositions", (it) => {
  it.effect("recompute exactly the rows that the follower wrote", () => recomputes)

  it.effect("find and repair damage; blocks can be rolled back afterwards", () =>
    Effect.gen(function* () {
      const { simulation, following } = yield* Lived
      const { sql } = yield* Postgres
      const before = yield* derivedRows(depth)
      // All of them are repaired at once below.
      for (const damage of isSoak ? damages : damages.slice(1, 3)) {
        for (const harm of Object.values(damage)) yield* sql.unsafe(harm)
        const failed = yield* failedChecks
        for (const [check, harm] of Object.entries(damage)) {
          assert.include(failed.find((each) => each.check === check)?.detail, "presage rebuild positions", harm)
        }
        const derived = failed.map(({ check }) => check).filter((check) => check in (damages[0] ?? {}))
        assert.sameMembers(derived, Object.keys(damage))
        yield* rebuildPositions()
        assert.deepStrictEqual(yield* derivedRows(depth), before, JSON.stringify(damage))
      }

      for (const damage of damages) for (const harm of Object.values(damage)) yield* sql.unsafe(harm)
      const env = { LEDGER_REORG_DEPTH: String(depth) }
      const bad = yield* command(["verify"], env)
      assert.strictEqual(bad.code, 1)
      assert.match(bad.out, /positions +wrong .*run: presage rebuild positions/)
      const repaired = yield* command(["rebuild", "positions", "--json"], env)
      assert.strictEqual(repaired.code, 0, repaired.err)
      assert.include(JSON.parse(repaired.out), {
        positions: before.positions.length,
        realized_events: before.realized.length,
      })
      assert.deepStrictEqual(yield* derivedRows(depth), before)
      yield* assertSound
      const [last] = yield* sql<{ n: number }>`
        select count(*)::int as n from position_undo where block > ${simulation.head - 20}`
      assert.isAbove(last?.n ?? 0, 0, "there is nothing to undo")
      simulation.reorg(20)
      simulation.advance(10_000)
      simulation.settle()
      yield* caughtUp(simulation, following)
      yield* assertEqualsTruth(simulation)
      yield* assertSound
    }),
  )

  it.effect("pause the follower, show nothing before they commit, and change nothing when interrupted", () =>
    Effect.gen(function* () {
      const { simulation, following } = yield* Lived
      const { sql } = yield* Postgres
      yield* sql`delete from position where wallet % 2 = 0`
      const damaged = yield* derivedRows(depth)
      const half = yield* Deferred.make<void>()
      const rebuild = yield* Effect.forkScoped(
        rebuildPositions(() => Effect.andThen(Deferred.succeed(half, undefined), Effect.never)),
      )
      yield* Deferred.await(half)
      assert.deepStrictEqual(yield* derivedRows(depth), damaged)
      simulation.advance(4_000)
      yield* eventually(
        "the follower waits for the lease",
        Effect.map(
          sql`select 1 from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%from lease%'`,
          (rows) => rows.length > 0,
        ),
      )
      yield* Fiber.interrupt(rebuild)
      simulation.settle()
      yield* caughtUp(simulation, following)
      assert.include(
        (yield* failedChecks).map(({ check }) => check),
        "positions",
      )

      const running = yield* Effect.forkScoped(rebuildPositions())
      simulation.advance(30_000)
      simulation.reorg(5)
      const { differed } = yield* Fiber.join(running)
      assert.isAbove(differed.positions, 0)
      simulation.settle()
      yield* caughtUp(simulation, following)
      yield* assertEqualsTruth(simulation)
      yield* assertSound
    }),
  )

  it.effect("find damage that no rebuild can repair", () =>
    Effect.gen(function* () {
      const { following } = yield* Lived
      yield* Fiber.interrupt(following)
      const { sql } = yield* Postgres
      for (const { check, harm, cure, also = [] } of unrepairable) {
        yield* sql.unsafe(harm)
        const failed = (yield* failedChecks).map((each) => each.check)
        assert.deepStrictEqual(
          failed.filter((each) => !also.includes(each)),
          [check],
          harm,
        )
        yield* sql.unsafe(cure)
      }
      yield* assertSound
    }),
  )

  it.effect("explain what to do when the ledger is empty", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      yield* sql`delete from chain_cursor`
      const result = yield* command(["rebuild", "positions"])
      assert.strictEqual(result.code, 2)
      assert.match(result.err, /the ledger is empty.*start Presage first/)
      const unknown = yield* command(["rebuild", "prices"])
      assert.strictEqual(unknown.code, 2)
      assert.match(unknown.err, /Unknown subcommand "prices" for "presage rebuild"/)
    }),
  )
})

const moreWorlds = isSoak ? Array.from({ length: 19 }, (_, i) => 51 + i) : []
for (const seed of moreWorlds) {
  layer(world(seed), { excludeTestServices: true })(`rebuildPositions in world ${seed}`, (it) => {
    it.effect("recomputes exactly the rows that the follower wrote", () => recomputes)
  })
}
