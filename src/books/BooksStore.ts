import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import type { StoredBaseline } from "./PriceMoves.ts"

const tokenOf = (hash: string) => BigInt(`0x${hash}`).toString()
export const hashOf = (token: string) => BigInt(token).toString(16).padStart(64, "0")

/** Both tokens of the open markets with the highest volume of the last 24 hours. */
export const topTokens = (sql: SqlClient, markets: number) =>
  Effect.map(
    sql<{ hash: string }>`
      select encode(t.hash, 'hex') as hash
      from (
        select tokens from market
        where not closed and not archived and accepting_orders
        order by volume_day desc nulls last limit ${markets}
      ) m
      cross join lateral jsonb_array_elements_text(m.tokens) e(id)
      join token t on t.id = e.id::int`,
    (rows) => rows.map(({ hash }) => tokenOf(hash)),
  )

export const baselines = (sql: SqlClient, tokens: ReadonlyArray<string>) =>
  Effect.map(
    sql<{ hash: string; mid: number; set_at: Date }>`
      select n.hash, b.mid, b.set_at from unnest(${tokens.map(hashOf)}::text[]) n(hash)
      join token t on t.hash = decode(n.hash, 'hex') join book_baseline b on b.token = t.id`,
    (rows): ReadonlyArray<StoredBaseline> =>
      rows.map(({ hash, mid, set_at }) => ({ token: tokenOf(hash), mid, setAt: set_at.getTime() })),
  )

export const writeBaselines = bulkInsert<{ token: number; mid: number }>({
  table: "book_baseline",
  columns: { token: "int4", mid: "int4" },
  suffix: "on conflict (token) do update set mid = excluded.mid, set_at = now()",
})

export const deleteBaselines = (sql: SqlClient, tokens: ReadonlyArray<number>) =>
  sql`delete from book_baseline where token = any(${tokens}::int[])`
