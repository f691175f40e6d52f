import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Usdc } from "#src/domain/amounts.ts"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { type Address, addressFrom, bytesOf, type StoredScore } from "./model.ts"

type WalletRow = { readonly wallet: Uint8Array }

const addressesIn = (rows: ReadonlyArray<WalletRow>) => rows.map(({ wallet }) => addressFrom(wallet))

/** One order for all writers avoids deadlocks. */
const sorted = (wallets: ReadonlyArray<Address>) => pgArray("bytea", wallets.toSorted().map(bytesOf))

/** Time of the last attempt to score a wallet. */
const tried = "greatest(scored_at, error_at)"

/**
 * Requests scores of these wallets, unless they have scores newer than `old`; returns the wallets with a pending score. Locks
 * their rows, so that a concurrent clean-up does not delete them.
 */
export const requestScores = (sql: SqlClient, wallets: ReadonlyArray<Address>, now: Date, old: Date) =>
  Effect.map(
    sql<WalletRow & { readonly pending: boolean }>`
      insert into copy_pnl_wallet as w (wallet, asked_at)
      select wallet, ${now}::timestamptz from unnest(${sorted(wallets)}) g(wallet) order by wallet
      on conflict (wallet) do update set asked_at = case
        when w.asked_at is not null then w.asked_at
        when w.error is not null or w.scored_at is null or w.scored_at <= ${old} then excluded.asked_at end
      returning wallet, asked_at is not null as pending`,
    (rows) => addressesIn(rows.filter(({ pending }) => pending)),
  )

const upsertScores = bulkInsert<{
  wallet: Buffer
  days: number
  actual: Usdc<bigint>
  backtest: Usdc<bigint>
  trades: number
  partial: boolean
  computed_at: Date
}>({
  table: "copy_pnl_score",
  columns: {
    wallet: "bytea",
    days: "int2",
    actual: "int8",
    backtest: "int8",
    trades: "int4",
    partial: "bool",
    computed_at: "timestamptz",
  },
  suffix: `on conflict (wallet, days) do update set actual = excluded.actual, backtest = excluded.backtest,
    trades = excluded.trades, partial = excluded.partial, computed_at = excluded.computed_at`,
})

/** Runs in a transaction. Does nothing if the wallet was deleted or another worker stored a newer score. */
export const save = Effect.fnUntraced(function* (
  sql: SqlClient,
  wallet: Address,
  scores: ReadonlyArray<StoredScore>,
  at: Date,
) {
  const found = yield* sql`
    update copy_pnl_wallet set asked_at = null, scored_at = ${at}, error = null, error_at = null
    where wallet = ${bytesOf(wallet)} and (scored_at is null or scored_at <= ${at}) returning 1`
  if (found.length === 0) return
  yield* upsertScores(
    sql,
    scores.map(({ computedAt, ...score }) => ({ wallet: bytesOf(wallet), ...score, computed_at: computedAt })),
  )
})

/**
 * Records a failed attempt and postpones the next one. Does nothing if another worker has a score as new as this attempt,
 * or as the request if the start of the attempt is unknown.
 */
export const fail = (sql: SqlClient, wallet: Address, reason: string, at: Date, startedAt?: Date) => sql`
  update copy_pnl_wallet set asked_at = null, error = ${reason}, error_at = ${at}
  where wallet = ${bytesOf(wallet)}
    and (scored_at is null or scored_at < coalesce(${startedAt ?? null}::timestamptz, asked_at))`

/** A retry would fail the same way until the wallet's history changes. */
const isPermanent = "(error like 'timeout\\_%' or error = 'amount_too_large')"

/** Cut-off times for due wallets. */
export interface Due {
  readonly old: Date
  /** For attempts that failed for a passing reason. */
  readonly failed: Date
}

/** Requests scores of followed wallets that are due, oldest attempt first. */
export const requestDue = (sql: SqlClient, now: Date, { old, failed }: Due, most: number) =>
  Effect.map(
    sql<WalletRow>`
      update copy_pnl_wallet set asked_at = ${now} where wallet in (
        select w.wallet from copy_pnl_wallet w
        where w.asked_at is null and (${sql.literal(tried)} <= ${old}
            or w.error is not null and w.error_at <= ${failed} and not ${sql.literal(isPermanent)})
          and exists (select from copy_pnl_pool p where p.wallet = w.wallet)
        order by ${sql.literal(tried)} limit ${most} for update skip locked)
      returning wallet`,
    addressesIn,
  )

/** Wallets whose request is older than `since`, oldest first. */
export const waiting = (sql: SqlClient, since: Date, most: number) =>
  Effect.map(
    sql<WalletRow>`select wallet from copy_pnl_wallet where asked_at < ${since} order by asked_at limit ${most}`,
    addressesIn,
  )

/** Time of the oldest attempt, or of the oldest request without an attempt, over all followed wallets. */
export const oldestAttempt = (sql: SqlClient) =>
  Effect.map(
    sql<{ since: Date | null }>`
      select min(coalesce(${sql.literal(tried)}, asked_at)) as since from copy_pnl_wallet w
      where exists (select from copy_pnl_pool p where p.wallet = w.wallet)`,
    ([row]) => row?.since ?? undefined,
  )

/** Runs in a transaction. Deletes unfollowed wallets whose last attempt is before `old`; returns how many. */
export const deleteUnfollowed = Effect.fnUntraced(function* (sql: SqlClient, old: Date, most: number) {
  const found = yield* sql<WalletRow>`
    select w.wallet from copy_pnl_wallet w
    where w.asked_at is null and ${sql.literal(tried)} <= ${old}
      and not exists (select from copy_pnl_pool p where p.wallet = w.wallet)
    order by w.wallet limit ${most} for update`
  if (found.length === 0) return 0
  // A separate query: a wallet may have been followed before it was locked.
  const gone = yield* sql<WalletRow>`
    select g.wallet from unnest(${pgArray("bytea", found, ({ wallet }) => Buffer.from(wallet))}) g(wallet) where not exists (select from copy_pnl_pool p where p.wallet = g.wallet)`
  const wallets = sorted(addressesIn(gone))
  yield* sql`delete from copy_pnl_score where wallet = any(${wallets})`
  yield* sql`delete from copy_pnl_wallet where wallet = any(${wallets})`
  return gone.length
})
