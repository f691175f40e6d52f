import { Effect, Layer, ManagedRuntime, Schedule } from "effect"
import { CopyPools } from "#src/copy-pnl/CopyPools.ts"
import { Address } from "#src/copy-pnl/model.ts"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName } from "#src/keys/model.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { accountKeys } from "#src/roles/Access.ts"
import { foundation } from "#src/roles/Foundation.ts"
import type { LedgerWallet, PoolSubject, WalletScore } from "../support/copyPnl.ts"
import { expose } from "../support/expose.ts"
import { configuration } from "./foundation.ts"
import { ledgerClock } from "./ledgerClock.ts"

const runtime = ManagedRuntime.make(
  Layer.merge(CopyPools.layer, accountKeys).pipe(
    Layer.provideMerge(foundation),
    Layer.provideMerge(configuration()),
    Layer.provideMerge(ledgerClock),
  ),
)

/** A wallet that was requested twice may still be in progress; its job then finds nothing. */
const clearScores = Effect.gen(function* () {
  const { sql, tx } = yield* Postgres
  yield* tx(
    Effect.gen(function* () {
      yield* sql`lock table copy_pnl_wallet in share row exclusive mode`
      for (const table of ["copy_pnl_pool", "copy_pnl_score", "copy_pnl_wallet"]) yield* sql`delete from ${sql(table)}`
    }),
  )
})

const isDone = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ left: number }>`
    select count(*)::int as left from copy_pnl_wallet where asked_at is not null or error is not null`
  return row?.left === 0
})

expose<PoolSubject>({
  busiest: (count) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const { exports } = yield* Postgres
        return yield* exports<LedgerWallet>`
          select w.id, '0x' || encode(w.address, 'hex') as wallet
          from (select maker from fill group by maker order by count(*) desc limit ${count}) f
            join wallet w on w.id = f.maker`
      }),
    ),
  score: (wallets) =>
    runtime.runPromise(
      Effect.gen(function* () {
        yield* clearScores
        const { account } = yield* (yield* Keys).open("enterprise", KeyName.make("bench"))
        const since = performance.now()
        yield* (yield* CopyPools).follow(
          account.id,
          wallets.map((wallet) => Address.make(wallet)),
        )
        yield* Effect.repeat(isDone, { until: (yes) => yes, schedule: Schedule.spaced("50 millis") })
        return (performance.now() - since) / 1000
      }),
    ),
  scores: () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const { sql } = yield* Postgres
        const scores = yield* sql<WalletScore>`
          select '0x' || encode(wallet, 'hex') as wallet, actual::text, backtest::text, trades
          from copy_pnl_score where days = 180 and not partial order by wallet`
        yield* clearScores
        return scores
      }),
    ),
})
