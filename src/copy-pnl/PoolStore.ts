import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { AccountId } from "#src/domain/Account.ts"
import type { Usdc } from "#src/domain/amounts.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { type Address, addressFrom, bytesOf, type Followed, type StoredScore } from "./model.ts"

const bytesOfAll = (wallets: ReadonlyArray<Address>) => pgArray("bytea", wallets.map(bytesOf))

export const count = (sql: SqlClient, account: AccountId) =>
  Effect.map(
    sql<{ n: number }>`select count(*)::int as n from copy_pnl_pool where account = ${account}`,
    ([row]) => row?.n ?? 0,
  )

/** Which of these are already followed. */
export const alreadyFollowed = (sql: SqlClient, account: AccountId, wallets: ReadonlyArray<Address>) =>
  Effect.map(
    sql<{ wallet: Uint8Array }>`
      select wallet from copy_pnl_pool where account = ${account} and wallet = any(${bytesOfAll(wallets)})`,
    (rows) => new Set(rows.map(({ wallet }) => addressFrom(wallet))),
  )

export const add = (sql: SqlClient, account: AccountId, wallets: ReadonlyArray<Address>, at: Date) => sql`
  insert into copy_pnl_pool (account, wallet, added_at)
  select ${account}::uuid, wallet, ${at}::timestamptz from unnest(${bytesOfAll(wallets)}) g(wallet)`

/** Returns how many were followed. */
export const remove = (sql: SqlClient, account: AccountId, wallets: ReadonlyArray<Address>) =>
  Effect.map(
    sql`delete from copy_pnl_pool where account = ${account} and wallet = any(${bytesOfAll(wallets)}) returning 1`,
    (rows) => rows.length,
  )

/** Ordered by address. */
export const list = (sql: SqlClient, account: AccountId) =>
  Effect.map(
    sql<{ wallet: Uint8Array }>`select wallet from copy_pnl_pool where account = ${account} order by wallet`,
    (rows) => rows.map(({ wallet }) => addressFrom(wallet)),
  )

interface FollowedRow {
  readonly wallet: Uint8Array
  readonly error: string | null
  readonly error_at: Date | null
  readonly days: number | null
  readonly actual: Usdc<bigint>
  readonly backtest: Usdc<bigint>
  readonly trades: number
  readonly partial: boolean
  readonly computed_at: Date
}

/** All wallets that an account follows, with their scores over these days, ordered by address. */
export const followed = (sql: SqlClient, account: AccountId, days: ReadonlyArray<number>) =>
  Effect.map(
    sql<FollowedRow>`
      select p.wallet, w.error, w.error_at, s.days, s.actual, s.backtest, s.trades, s.partial, s.computed_at
      from copy_pnl_pool p left join copy_pnl_wallet w using (wallet)
        left join copy_pnl_score s on s.wallet = p.wallet and s.days = any(${pgArray("int2", days)})
      where p.account = ${account} order by p.wallet`,
    (rows): ReadonlyArray<Followed> => {
      const wallets = new Map<Address, Followed & { readonly scores: Map<number, StoredScore> }>()
      for (const { wallet: bytes, error, error_at, days: reach, computed_at, ...score } of rows) {
        const wallet = addressFrom(bytes)
        const known = wallets.get(wallet) ?? {
          wallet,
          error: error === null || error_at === null ? undefined : { reason: error, at: error_at },
          scores: new Map(),
        }
        wallets.set(wallet, known)
        if (reach !== null) {
          const { actual, backtest, trades, partial } = score
          known.scores.set(reach, { days: reach, actual, backtest, trades, partial, computedAt: computed_at })
        }
      }
      return [...wallets.values()]
    },
  )
