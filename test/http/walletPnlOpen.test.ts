import type { PgClient } from "@effect/sql-pg/PgClient"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { Fragment } from "effect/unstable/sql/Statement"
import { bytesOfWallet } from "#src/domain/Wallet.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { advanceRollups } from "#src/rollups/advance.ts"
import { openAt } from "#src/wallets/OpenStore.ts"
import { bookedPositions, openBefore } from "#test/wallets/support/books.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { livedServer, livedWorld } from "./support/livedWorld.ts"

const everything = { kind: "everything" } as const

/** A wallet with positions that were open some time ago and have changed since, and how many were open. */
const findOpen = Effect.gen(function* () {
  const simulation = yield* livedWorld(71)
  yield* advanceRollups
  const second = simulation.model.world.clock.timestampOf(simulation.head) - 6 * 3_600
  const books = yield* bookedPositions(simulation)
  for (const positions of [...books.values()].toSorted((a, b) => b.length - a.length)) {
    const open = openBefore(simulation, positions, second).length
    if (open < 5) continue
    const address = positions[0]?.wallet ?? ""
    const { sql } = yield* Postgres
    const [row] = yield* sql<{ id: number }>`select id from wallet where address = ${bytesOfWallet(address)}`
    return { address, second, open, id: row?.id ?? assert.fail("unknown wallet") }
  }
  return assert.fail("no wallet had open positions")
})

let found: Effect.Success<typeof findOpen> | undefined
const openEarlier = Effect.suspend(() =>
  found === undefined
    ? Effect.tap(findOpen, (wallet) =>
        Effect.sync(() => {
          found = wallet
        }),
      )
    : Effect.succeed(found),
)

/** Reads after a change, which is then rolled back. */
const readAfter = (change: (sql: PgClient) => Effect.Effect<unknown, SqlError>, most?: number) =>
  Effect.gen(function* () {
    const { id, second } = yield* openEarlier
    const { sql } = yield* Postgres
    const changed = Effect.andThen(change(sql), openAt(sql, id, everything, second, most))
    const { open } = yield* changed.pipe(
      Effect.flatMap((open) => Effect.fail({ _tag: "Read", open } as const)),
      sql.withTransaction,
      Effect.catchTag("Read", Effect.succeed),
    )
    return open
  })

layer(livedServer(71), { excludeTestServices: true })("P&L of a wallet in a window", (it) => {
  it.effect("has no number of open positions at a date whose facts were dropped, not counted or never read", () =>
    Effect.gen(function* () {
      const { address, second, open } = yield* openEarlier
      const { key } = yield* keyOf("enterprise")
      const { sql } = yield* Postgres
      const shown = Effect.map(
        askWith(key, `/v3/wallets/${address}/pnl?before=${second}`),
        ({ json }) => json.open_positions_at_date,
      )
      assert.strictEqual(yield* shown, open)
      const changes = [
        [
          sql`update ledger_coverage set dropped_before = 2000000000`,
          sql`update ledger_coverage set dropped_before = null`,
        ],
        [
          sql`update rollup_progress set from_block = from_block + 1000000000`,
          sql`update rollup_progress set from_block = from_block - 1000000000`,
        ],
      ] as const
      for (const [change, undo] of changes)
        assert.isNull(
          yield* Effect.acquireUseRelease(
            change,
            () => shown,
            () => Effect.orDie(undo),
          ),
        )
      assert.strictEqual(yield* shown, open)
      const startedAt = (block: Fragment) => (sql: PgClient) => sql`update chain_cursor set started_from = ${block}`
      const last = sql`(select max(number) from block where at < to_timestamp(${second}))`
      assert.isUndefined(yield* readAfter(startedAt(sql`${last} + 1`)))
      assert.strictEqual(yield* readAfter(startedAt(last)), open)
    }),
  )

  it.effect("has no number of open positions at a date if too many facts had to be added up", () =>
    Effect.gen(function* () {
      const { open } = yield* openEarlier
      const unchanged = () => Effect.void
      assert.strictEqual(yield* readAfter(unchanged), open)
      assert.isUndefined(yield* readAfter(unchanged, 3))
    }),
  )

  it.effect("does not read a market maker's merges of decided markets for the positions at a date", () =>
    Effect.gen(function* () {
      const { id, second, open } = yield* openEarlier
      const most = 20_000
      /** More merges than are added up, of a market that was decided before or after the date. */
      const merges = (isDecided: boolean) => (sql: PgClient) =>
        sql`
        insert into merge (block, log_index, at, wallet, condition, amount)
        select 0, n, to_timestamp(${second - 1}), ${id}, (
          select t.condition from token t left join position p on p.token = t.id and p.wallet = ${id}
          where t.condition is not null and case when ${isDecided} then t.resolved_at < to_timestamp(${second})
            else not p.partial and p.changed_at >= to_timestamp(${second})
              and (t.resolved_at is null or t.resolved_at >= to_timestamp(${second})) end
          limit 1), 1
        from generate_series(1, ${most + 1}) n`
      assert.strictEqual(yield* readAfter(merges(true), most), open)
      assert.isUndefined(yield* readAfter(merges(false), most))
    }),
  )

  it.effect("of a window is shown without the positions at its end if these take too long", () =>
    Effect.gen(function* () {
      const { id, second, open } = yield* openEarlier
      const { sql, exports } = yield* Postgres
      const rest = sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`set local statement_timeout = '200ms'`
          const read = yield* openAt(sql, id, everything, second)
          return [read, yield* sql`select 1 as one`]
        }),
      )
      const locked = exports.withTransaction(Effect.andThen(exports`lock table merge in access exclusive mode`, rest))
      assert.deepStrictEqual(yield* locked, [undefined, [{ one: 1 }]])
      assert.strictEqual((yield* rest)[0], open)
    }),
  )
})
