import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { holding } from "#test/support/hold.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { assertAllTimeSums } from "./support/allTimeSums.ts"
import { makeApply, reset } from "./support/synthetic.ts"

const stores = ledger.pipe(
  Layer.provideMerge(testFoundation({ "postgres.lock-timeout": "1m", "postgres.statement-timeout": "1s" })),
)

layer(stores, { excludeTestServices: true })("Boards that cannot be updated incrementally", (it) => {
  it.effect(
    "are rebuilt when a token counted as open turns out to be resolved, once the catalogue is complete, and only then",
    () =>
      Effect.gen(function* () {
        const { sql } = yield* Postgres
        const apply = makeApply(yield* (yield* Leases).seize("chain"))
        yield* reset
        yield* sql`insert into wallet (address) values (decode(repeat('ab', 20), 'hex'))`
        yield* sql`
        insert into position (wallet, token, shares, cost, realized, bought, sold, redeemed, changed_at)
        select 1, id, 5000000, 1000000, 7, 0, 0, false, now() from token`
        yield* sql`
        insert into resolution (block, log_index, at, condition, payouts) values (1, 0, now(), 1, '{1,0}')`
        assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
        yield* assertAllTimeSums("while the tokens of all conditions are unknown")
        yield* apply({ kind: "pair", condition: 2 })
        assert.strictEqual(yield* refreshLeaderboards, "advanced")
        yield* assertAllTimeSums("after the tokens of an open condition are known")
        yield* apply({ kind: "pair", condition: 1 })
        assert.strictEqual(yield* refreshLeaderboards, "waits", "the catalogue is not complete")
        yield* sql`insert into catalogue_progress select *, now() from unnest(array['first-load', 'closings', 'mentioned'])`
        assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
        yield* assertAllTimeSums("after the tokens of a resolved condition are known")
        assert.strictEqual(yield* refreshLeaderboards, "unchanged")
      }),
  )

  it.effect("stay unchanged while the history is read, even if the fills are locked", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const apply = makeApply(yield* (yield* Leases).seize("chain"))
      yield* apply({ kind: "block", hours: 1, gains: [{ wallet: 1, token: 1, amount: 5 }] })
      const version = Effect.map(
        sql<{ version: bigint }>`select version from leaderboard_state`,
        ([row]) => row?.version,
      )
      const before = yield* version
      const refreshed = holding("lock table fill in access exclusive mode", refreshLeaderboards)
      yield* sql`update chain_cursor set head = 100000`
      assert.isDefined(before)
      assert.strictEqual(yield* refreshed, "waits")
      assert.strictEqual(yield* version, before)
    }),
  )
})
