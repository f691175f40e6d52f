import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { truncateIfAny } from "../stateful.ts"

/** Position of a wallet's first fill. */
export interface FirstFill {
  readonly wallet: number
  readonly block: number
  readonly log_index: number
}

/** Saved first fills, except those that a reorganisation retracted. */
export const saved = (sql: SqlClient, wallets: ReadonlyArray<number>, fork: number | undefined) => sql<FirstFill>`
  select wallet, block, log_index from webhook_first_trade
  where wallet = any(${pgArray("int4", wallets)}) and (${fork ?? null}::int is null or block <= ${fork ?? null}::int)`

/** First fills from the ledger; none of wallets that traded before its facts were dropped. */
export const find = (sql: SqlClient, wallets: ReadonlyArray<number>) => sql<FirstFill>`
  select u.wallet, f.block, f.log_index from unnest(${pgArray("int4", wallets)}) u(wallet), lateral (
    select block, log_index from fill where maker = u.wallet order by at, block, log_index limit 1) f
  where not exists (select from position_base b where b.wallet = u.wallet and b.traded_at is not null)`

export const deleteAfter = (sql: SqlClient, block: number) =>
  Effect.asVoid(sql`delete from webhook_first_trade where block > ${block}`)

export const deleteAll = (sql: SqlClient) => truncateIfAny(sql, ["webhook_first_trade"])

export const save = bulkInsert<FirstFill>({
  table: "webhook_first_trade",
  columns: { wallet: "int4", block: "int4", log_index: "int4" },
  suffix: "on conflict (wallet) do update set block = excluded.block, log_index = excluded.log_index",
})
