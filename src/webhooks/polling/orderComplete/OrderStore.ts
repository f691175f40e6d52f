import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { fillTimeSql, isOfOrderSql, transactionSql } from "#src/dictionary/factSql.ts"
import type { Shares, Usdc } from "#src/domain/amounts.ts"
import type { FactRow } from "#src/feed/rows.ts"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { LastFill } from "./quietOrders.ts"

/** A fill of an order. */
export interface OrderFill extends FactRow {
  readonly order_hash: string
  readonly maker: number
  readonly side: number
  readonly token: number
  readonly shares: Shares<bigint>
  readonly usd: Usdc<bigint>
}

interface OpenRow {
  readonly order_hash: string
  readonly seq: bigint
  readonly block: number
  readonly log_index: number
  readonly at: Date
}

/** Open orders of confirmed fills, or of final ones. */
export type OrderTable = "webhook_open_order" | "webhook_final_order"

const upsertInto = (table: OrderTable) =>
  bulkInsert<Omit<OpenRow, "order_hash"> & { readonly order_hash: Buffer }>({
    table,
    columns: { order_hash: "bytea", seq: "int8", block: "int4", log_index: "int4", at: "timestamptz" },
    suffix: `on conflict (order_hash) do update
    set seq = excluded.seq, block = excluded.block, log_index = excluded.log_index, at = excluded.at`,
  })
const upserts = {
  webhook_open_order: upsertInto("webhook_open_order"),
  webhook_final_order: upsertInto("webhook_final_order"),
}

const bytes = (hashes: Iterable<string>) => pgArray("bytea", hashes, (hash) => Buffer.from(hash, "hex"))

const lastOf = ({ order_hash, seq, block, log_index, at }: OpenRow): LastFill => ({
  orderHash: order_hash,
  seq,
  block,
  logIndex: log_index,
  at: at.getTime(),
})

const byHash = (rows: ReadonlyArray<OpenRow>): ReadonlyMap<string, LastFill> =>
  new Map(rows.map((row) => [row.order_hash, lastOf(row)]))

const columns = "encode(o.order_hash, 'hex') as order_hash, o.seq, o.block, o.log_index, o.at"

/** The given orders, and those whose last fill is not after a moment. */
export const open = (
  sql: SqlClient,
  table: OrderTable,
  hashes: ReadonlyArray<string>,
  quietSince: number,
): Effect.Effect<ReadonlyMap<string, LastFill>, SqlError> =>
  Effect.map(
    sql<OpenRow>`
      select ${sql.literal(columns)} from ${sql(table)} o
      where o.at <= ${new Date(quietSince)}::timestamptz or o.order_hash = any(${bytes(hashes)})`,
    byHash,
  )

/** Orders whose newest fill was retracted, with the fill before it; null if there is none. */
export const retracted = (sql: SqlClient, table: OrderTable, fork: number) => sql<
  { order_hash: string } & { [K in keyof OpenRow]: OpenRow[K] | null }
>`
  select encode(o.order_hash, 'hex') as order_hash, f.block, f.log_index, f.at, (
    select max(e.seq) from event_log e where e.kind = 'fill' and e.ref = f.block and e.sub = f.log_index) as seq
  from ${sql(table)} o left join lateral (
    select block, log_index, ${sql.literal(fillTimeSql("fill"))} as at from fill
    where ${sql.literal(isOfOrderSql("fill", "o.order_hash"))} and block <= ${fork}
    order by block desc, log_index desc limit 1) f on true
  where o.block > ${fork}`

/** All fills of orders up to a block, in chain order. */
export const fills = (sql: SqlClient, hashes: Iterable<string>, upTo: number) => sql<OrderFill>`
  select f.block, f.log_index, ${sql.literal(fillTimeSql("f"))} as at, encode(${sql.literal(transactionSql("f"))}, 'hex') as tx,
    encode(f.order_hash, 'hex') as order_hash, f.maker, f.is_sale::int as side, f.token, f.shares, f.usd
  from unnest(${bytes(hashes)}) u(order_hash) join fill f on ${sql.literal(isOfOrderSql("f", "u.order_hash"))}
  where f.block <= ${upTo} order by f.block, f.log_index`

export const save = (sql: SqlClient, table: OrderTable, orders: ReadonlyArray<LastFill>) =>
  Effect.asVoid(
    upserts[table](
      sql,
      orders.map(({ orderHash, seq, block, logIndex, at }) => ({
        order_hash: Buffer.from(orderHash, "hex"),
        seq,
        block,
        log_index: logIndex,
        at: new Date(at),
      })),
    ),
  )

export const remove = (sql: SqlClient, table: OrderTable, hashes: ReadonlyArray<string>) =>
  hashes.length === 0
    ? Effect.void
    : Effect.asVoid(sql`delete from ${sql(table)} where order_hash = any(${bytes(hashes)})`)

export const removeAfter = (sql: SqlClient, table: OrderTable, block: number) =>
  Effect.asVoid(sql`delete from ${sql(table)} where block > ${block}`)
