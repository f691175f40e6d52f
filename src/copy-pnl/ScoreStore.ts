import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bulkInsert } from "#src/platform/sql/bulkInsert.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { type Address, addressFrom, bytesOf, type KeptScore } from "./model.ts"

type WalletRow = { readonly wallet: Uint8Array }

const addressesIn = (rows: ReadonlyArray<WalletRow>) => rows.map(({ wallet }) => addressFrom(wallet))

/** In one order, else two who write the same wallets wait for each other. */
const sorted = (wallets: ReadonlyArray<Address>) => pgArray("bytea", wallets.toSorted().map(bytesOf))

/** When a wallet was scored last, or could not be. */
const tried = "greatest(scored_at, error_at)"

/**
 * Notes that somebody wants scores of these wallets, unless they have some that are newer than `old`; those of which a
 * score is outstanding then. Their rows are locked, so that nobody forgets them meanwhile.
 */
export const ask = (sql: SqlClient, wallets: ReadonlyArray<Address>, now: Date, old: Date) =>
  Effect.map(
    sql<WalletRow & { readonly asked: boolean }>`
      insert into copy_pnl_wallet as w (wallet, asked_at)
      select wallet, ${now}::timestamptz from unnest(${sorted(wallets)}) g(wallet) order by wallet
      on conflict (wallet) do update set asked_at = case
        when w.asked_at is not null then w.asked_at
        when w.error is not null or w.scored_at is null or w.scored_at <= ${old} then excluded.asked_at end
      returning wallet, asked_at is not null as asked`,
    (rows) => addressesIn(rows.filter(({ asked }) => asked)),
  )

const upsertScores = bulkInsert<{
  wallet: Buffer
  days: number
  actual: bigint
  backtest: bigint
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

/** Within a transaction. Nothing where the wallet was forgotten, or somebody else has a newer score of it. */
export const save = Effect.fnUntraced(function* (
  sql: SqlClient,
  wallet: Address,
  scores: ReadonlyArray<KeptScore>,
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
 * There is no new score, and nobody is to try again before its time. Nothing where somebody else has a score that is as new
 * as this try, or, where nobody knows when that began, as what was asked for.
 */
export const fail = (sql: SqlClient, wallet: Address, reason: string, at: Date, began?: Date) => sql`
  update copy_pnl_wallet set asked_at = null, error = ${reason}, error_at = ${at}
  where wallet = ${bytesOf(wallet)}
    and (scored_at is null or scored_at < coalesce(${began ?? null}::timestamptz, asked_at))`

/** Would be the same again, until the wallet's history is another one. */
const isLasting = "(error like 'timeout\\_%' or error = 'amount_too_large')"

/** From when on what is due. */
export interface Due {
  readonly old: Date
  /** For what failed by chance, and may be better soon. */
  readonly failed: Date
}

/** Asks for followed wallets that are due, those that were tried longest ago first. */
export const askForOld = (sql: SqlClient, now: Date, { old, failed }: Due, most: number) =>
  Effect.map(
    sql<WalletRow>`
      update copy_pnl_wallet set asked_at = ${now} where wallet in (
        select w.wallet from copy_pnl_wallet w
        where w.asked_at is null and (${sql.literal(tried)} <= ${old}
            or w.error is not null and w.error_at <= ${failed} and not ${sql.literal(isLasting)})
          and exists (select from copy_pnl_pool p where p.wallet = w.wallet)
        order by ${sql.literal(tried)} limit ${most} for update skip locked)
      returning wallet`,
    addressesIn,
  )

/** Wallets that wait for a score since before `since`, the longest first. */
export const waiting = (sql: SqlClient, since: Date, most: number) =>
  Effect.map(
    sql<WalletRow>`select wallet from copy_pnl_wallet where asked_at < ${since} order by asked_at limit ${most}`,
    addressesIn,
  )

/** Since when the followed wallet waits that was tried longest ago, or was asked for and never tried. */
export const longestUntried = (sql: SqlClient) =>
  Effect.map(
    sql<{ since: Date | null }>`
      select min(coalesce(${sql.literal(tried)}, asked_at)) as since from copy_pnl_wallet w
      where exists (select from copy_pnl_pool p where p.wallet = w.wallet)`,
    ([row]) => row?.since ?? undefined,
  )

/** Within a transaction: wallets that nobody follows and that were tried last before `old`. How many that were. */
export const forget = Effect.fnUntraced(function* (sql: SqlClient, old: Date, most: number) {
  const found = yield* sql<WalletRow>`
    select w.wallet from copy_pnl_wallet w
    where w.asked_at is null and ${sql.literal(tried)} <= ${old}
      and not exists (select from copy_pnl_pool p where p.wallet = w.wallet)
    order by w.wallet limit ${most} for update`
  if (found.length === 0) return 0
  // With a look of its own: somebody may have begun to follow one until it was locked.
  const gone = yield* sql<WalletRow>`
    select g.wallet from unnest(${pgArray(
      "bytea",
      found.map(({ wallet }) => Buffer.from(wallet)),
    )}) g(wallet) where not exists (select from copy_pnl_pool p where p.wallet = g.wallet)`
  const wallets = sorted(addressesIn(gone))
  yield* sql`delete from copy_pnl_score where wallet = any(${wallets})`
  yield* sql`delete from copy_pnl_wallet where wallet = any(${wallets})`
  return gone.length
})
