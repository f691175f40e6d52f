import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { holding } from "#test/support/hold.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { assertStandingSums } from "./support/standingSums.ts"
import { begin, make } from "./support/synthetic.ts"

const stores = ledger.pipe(
  Layer.provideMerge(testFoundation({ "postgres.lock-timeout": "1m", "postgres.statement-timeout": "1s" })),
)

layer(stores, { excludeTestServices: true })("Boards that cannot be brought up to date", (it) => {
  it.effect("are built anew when a token that counts as open is learnt to be resolved, and otherwise not", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const happen = make(yield* (yield* Leases).seize("chain"))
      yield* begin
      yield* sql`insert into wallet (address) values (decode(repeat('ab', 20), 'hex'))`
      yield* sql`
        insert into position (wallet, token, shares, cost, realized, bought, sold, redeemed, changed_at)
        select 1, id, 5000000, 1000000, 7, 0, 0, false, now() from token`
      yield* sql`
        insert into resolution (block, log_index, at, tx, condition, payouts) values (1, 0, now(), 'a', 1, '{1,0}')`
      assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
      yield* assertStandingSums("while nobody knows the tokens of any condition")
      yield* happen({ kind: "pair", condition: 2 })
      assert.strictEqual(yield* refreshLeaderboards, "advanced")
      yield* assertStandingSums("after those of an open one are known")
      yield* happen({ kind: "pair", condition: 1 })
      assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
      yield* assertStandingSums("after those of a resolved one are known")
      assert.strictEqual(yield* refreshLeaderboards, "unchanged")
    }),
  )

  it.effect("are left as they are while the history is read, also where that makes everything slow", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const happen = make(yield* (yield* Leases).seize("chain"))
      yield* happen({ kind: "block", hours: 1, gains: [{ wallet: 1, token: 1, amount: 5 }] })
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
