import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AccountId } from "#src/domain/Account.ts"
import * as KeyStore from "#src/keys/KeyStore.ts"
import { NoSuchAccount } from "#src/keys/model.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { CopyPnlScore } from "./contracts.ts"
import { type Address, type Followed, mostFollowed } from "./model.ts"
import * as PoolStore from "./PoolStore.ts"
import * as ScoreStore from "./ScoreStore.ts"
import { copyPnlRefresh } from "./settings.ts"

export interface AddResult {
  readonly added: number
  readonly alreadyTracked: number
  readonly total: number
  /** Whether some did not fit into the pool. */
  readonly capped: boolean
  /** Whether any score is pending. */
  readonly scoresRequested: boolean
}

/** The wallets that an account follows. Each wallet is scored once for all its followers. */
export class CopyPools extends Context.Service<
  CopyPools,
  {
    /** Adds the wallets that fit, in the given order; each must be given once. */
    readonly follow: (
      account: AccountId,
      wallets: ReadonlyArray<Address>,
    ) => Effect.Effect<AddResult, TxError | NoSuchAccount>
    readonly unfollow: (
      account: AccountId,
      wallets: ReadonlyArray<Address>,
    ) => Effect.Effect<{ readonly removed: number; readonly total: number }, TxError>
    readonly list: (account: AccountId) => Effect.Effect<ReadonlyArray<Address>, SqlError>
    /** With their scores over these days. */
    readonly followed: (
      account: AccountId,
      days: ReadonlyArray<number>,
    ) => Effect.Effect<ReadonlyArray<Followed>, SqlError>
  }
>()("presage/copy-pnl/CopyPools") {
  static readonly layer = Layer.effect(
    CopyPools,
    Effect.gen(function* () {
      const { sql, reads, tx } = yield* Postgres
      const config = yield* Configuration
      const jobs = yield* Jobs

      const add = Effect.fnUntraced(function* (account: AccountId, wallets: ReadonlyArray<Address>, now: number) {
        // Concurrent additions wait, so that together they respect the limit.
        if ((yield* KeyStore.lockAccount(sql, account)) === undefined) return yield* new NoSuchAccount({ id: account })
        const known = yield* PoolStore.alreadyFollowed(sql, account, wallets)
        const total = yield* PoolStore.count(sql, account)
        const unknown = wallets.filter((wallet) => !known.has(wallet))
        const taken = unknown.slice(0, Math.max(0, mostFollowed - total))
        const old = new Date(now - Duration.toMillis(config.get(copyPnlRefresh)))
        const requested = yield* ScoreStore.requestScores(sql, [...known, ...taken], new Date(now), old)
        yield* PoolStore.add(sql, account, taken, new Date(now))
        return {
          requested,
          counts: {
            added: taken.length,
            alreadyTracked: known.size,
            total: total + taken.length,
            capped: taken.length < unknown.length,
          },
        }
      })

      return CopyPools.of({
        follow: Effect.fn("CopyPools.follow")(function* (account, wallets) {
          const { requested, counts } = yield* tx(add(account, wallets, yield* Clock.currentTimeMillis))
          // A job that Redis does not accept is enqueued by the sweep, because the request is stored.
          yield* jobs
            .enqueueAll(
              CopyPnlScore,
              requested.map((wallet) => ({ wallet })),
            )
            .pipe(Effect.catch((error) => Effect.logWarning(`copy scores will be enqueued later: ${error.message}`)))
          return { ...counts, scoresRequested: requested.length > 0 }
        }),
        unfollow: Effect.fn("CopyPools.unfollow")((account, wallets) =>
          tx(
            Effect.gen(function* () {
              const removed = yield* PoolStore.remove(sql, account, wallets)
              return { removed, total: yield* PoolStore.count(sql, account) }
            }),
          ),
        ),
        list: Effect.fn("CopyPools.list")((account) => PoolStore.list(reads, account)),
        followed: Effect.fn("CopyPools.followed")((account, days) => PoolStore.followed(reads, account, days)),
      })
    }),
  )
}
