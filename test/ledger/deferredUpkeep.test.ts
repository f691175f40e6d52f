import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { shares, usdc } from "#src/domain/amounts.ts"
import type { Fill } from "#src/domain/Fact.ts"
import { reduceAllVacuum, restoreUpkeep } from "#src/ledger/deferredUpkeep.ts"
import { makeFillPartitions } from "#src/ledger/fillPartitions.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const fillOf = (month: string): Fill => ({
  kind: "fill",
  block: 1,
  logIndex: 0,
  at: Date.parse(`${month}-02T00:00:00Z`),
  tx: "00",
  orderHash: "00",
  maker: "00",
  taker: undefined,
  exchange: "00",
  side: "buy",
  token: "00",
  shares: shares(1),
  usd: usdc(1),
  fee: usdc(0),
  feeInShares: false,
  builder: undefined,
})

layer(testFoundation(), { excludeTestServices: true })("Deferred upkeep", (it) => {
  it.effect("reduces autovacuum of filled tables and new partitions until it is restored, and analyzes them then", () =>
    Effect.gen(function* () {
      const { sql, tx } = yield* Postgres
      const reduced = Effect.map(
        sql<{ name: string }>`
          select relname as name from pg_class where 'autovacuum_analyze_threshold=1000000' = any(reloptions) order by 1`,
        (rows) => rows.map(({ name }) => name),
      )
      assert.isEmpty(yield* reduced)
      yield* makeFillPartitions(sql, [fillOf("2020-01")])
      yield* sql`insert into deferred_index (name, definition) values ('one', '')`
      yield* reduceAllVacuum(sql)
      yield* makeFillPartitions(sql, [fillOf("2020-02")])
      const during = yield* reduced
      for (const table of [
        "fill_202001",
        "fill_202002",
        "position",
        "realized_event",
        "redemption",
        "block",
        "token",
      ]) {
        assert.include(during, table)
      }
      for (const table of ["event_log", "tick", "market"]) assert.notInclude(during, table)
      yield* sql`delete from deferred_index`
      const analyzed = Effect.map(
        sql<{ name: string }>`select relname as name from pg_class where reltuples >= 0 and relkind in ('r', 'p')`,
        (rows) => rows.map(({ name }) => name),
      )
      for (const table of ["fill", "fill_202001", "position"]) assert.notInclude(yield* analyzed, table)
      yield* restoreUpkeep(sql, tx)
      for (const table of ["fill", "fill_202001", "position"]) assert.include(yield* analyzed, table)
      assert.isEmpty(yield* reduced)
      yield* makeFillPartitions(sql, [fillOf("2020-03")])
      assert.isEmpty(yield* reduced)
      // Options from the table's creation stay.
      const [position] = yield* sql<{ options: ReadonlyArray<string> }>`
        select reloptions as options from pg_class where relname = 'position'`
      assert.deepStrictEqual(position?.options, ["fillfactor=80"])
    }),
  )
})
