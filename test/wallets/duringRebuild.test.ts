import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { Wallet } from "#src/domain/Wallet.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Dice } from "#src/simulator/random.ts"
import { WalletPnl } from "#src/wallets/WalletPnl.ts"
import { randomLedger } from "#test/leaderboards/support/randomLedger.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { holding, untilWaiting } from "#test/support/hold.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const stores = Layer.merge(WalletPnl.layer, ledger).pipe(
  Layer.provideMerge(testFoundation({ "postgres.lock-timeout": "1m", "postgres.statement-timeout": "1m" })),
)

layer(stores, { excludeTestServices: true })("P&L of a wallet while rebuilt boards replace the old ones", (it) => {
  it.effect("is that of its positions and not zero", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { append, head } = yield* randomLedger(new Dice(7), Date.UTC(2026, 10, 15))
      yield* Effect.repeat(append(true), { times: 20 })
      assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
      yield* Effect.repeat(append(true), { times: 5 })
      const [holder] = yield* sql<{ address: string; positions: number }>`
        select '0x' || encode(w.address, 'hex') as address, count(*)::int as positions
        from position p join wallet w on w.id = p.wallet group by 1 order by 2 desc limit 1`
      assert(holder !== undefined)
      const pnl = yield* WalletPnl
      const read = pnl.allTime({
        address: Wallet.make(holder.address),
        scope: { scope: { kind: "everything" }, tokenId: undefined },
        withCombos: true,
      })
      // So far behind the newest block that the next refresh rebuilds them.
      yield* sql`update leaderboard_state set at = at - interval '7 hours'`
      const reading = yield* holding(
        // The rebuild waits for this lock after it has replaced the boards, before it commits.
        `select from block where number = ${head()} for update`,
        Effect.gen(function* () {
          yield* Effect.forkScoped(refreshLeaderboards)
          yield* untilWaiting(1)
          const reading = yield* Effect.forkScoped(read)
          yield* untilWaiting(2)
          return reading
        }),
      )
      assert.strictEqual((yield* Fiber.join(reading)).sums[0]?.positions, holder.positions)
    }),
  )
})
