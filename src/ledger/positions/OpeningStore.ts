import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { type Shares, shares } from "#src/domain/amounts.ts"
import { bulkInsertFrom } from "#src/platform/sql/bulkWrite.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"

/** Shares that a wallet held before the first block that positions count; undefined if the node could not tell. */
export interface Opening {
  readonly wallet: number
  readonly token: number
  readonly shares: Shares | undefined
}

const insert = bulkInsertFrom<Opening, undefined>({
  table: "opening_balance",
  columns: {
    wallet: ["int4", ({ wallet }) => wallet],
    token: ["int4", ({ token }) => token],
    shares: ["amount", ({ shares }) => shares ?? null],
  },
  suffix: "on conflict (token, wallet) do update set shares = excluded.shares",
})

export const save = (sql: SqlClient, openings: ReadonlyArray<Opening>) => insert(sql, openings, undefined)

interface Row {
  readonly wallet: number
  readonly token: number
  readonly shares: Shares<bigint> | null
}

const openingOf = ({ wallet, token, shares: held }: Row): Opening => ({
  wallet,
  token,
  shares: held === null ? undefined : shares(Number(held)),
})

export const all = (sql: SqlClient) =>
  Effect.map(sql<Row>`select wallet, token, shares from opening_balance`, (rows) => rows.map(openingOf))

/** The openings of these pairs of a wallet and a token; those without shares have none. */
export const of = (sql: SqlClient, wallets: ReadonlyArray<number>, tokens: ReadonlyArray<number>) =>
  Effect.map(
    sql<Row>`
      select o.wallet, o.token, o.shares
      from unnest(${pgArray("int4", wallets)}, ${pgArray("int4", tokens)}) w(wallet, token)
        join opening_balance o using (wallet, token)`,
    (rows) => rows.map(openingOf),
  )
