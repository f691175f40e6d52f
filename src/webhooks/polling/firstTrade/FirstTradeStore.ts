import { Effect } from "effect"
import { bulkInsert } from "#src/platform/sql/bulkInsert.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { emptied } from "../emptied.ts"

/** Where a wallet's first fill is. */
export interface FirstFill {
  readonly wallet: number
  readonly block: number
  readonly log_index: number
}

const insert = bulkInsert<FirstFill>({
  table: "webhook_first_trade",
  columns: { wallet: "int4", block: "int4", log_index: "int4" },
  suffix: "on conflict (wallet) do update set block = excluded.block, log_index = excluded.log_index",
})

export const firstTradeStore = ({ sql, reads }: Postgres["Service"]) => ({
  /** Of those wallets that are known; what a reorganisation has touched is not. */
  known: (wallets: ReadonlyArray<number>, fork: number | undefined) => reads<FirstFill>`
    select wallet, block, log_index from webhook_first_trade
    where wallet = any(${pgArray("int4", wallets)}) and (${fork ?? null}::int is null or block <= ${fork ?? null}::int)`,

  /** As the ledger has them. */
  find: (wallets: ReadonlyArray<number>) => reads<FirstFill>`
    select u.wallet, f.block, f.log_index from unnest(${pgArray("int4", wallets)}) u(wallet), lateral (
      select block, log_index from fill where maker = u.wallet order by at, block, log_index limit 1) f`,

  forgetAfter: (block: number) => Effect.asVoid(sql`delete from webhook_first_trade where block > ${block}`),
  forgetAll: emptied(sql, ["webhook_first_trade"]),
  remember: (firsts: ReadonlyArray<FirstFill>) => insert(sql, firsts),
})
