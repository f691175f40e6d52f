import { Duration, Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Dictionary } from "#src/dictionary/Dictionary.ts"
import { exchangeCode } from "#src/dictionary/exchangeCodes.ts"
import { secondFrom, transactionSql } from "#src/dictionary/factSql.ts"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { unnest } from "#src/platform/sql/pgArray.ts"
import type { PendingFill, PendingMatch } from "#src/upstream/chain/ChainNode.ts"
import { type Sighting, statusCode } from "./model.ts"

const bytes = (hex: string) => Buffer.from(hex, "hex")

export const insertSettlements = bulkInsert<{
  tx: Buffer
  exchange: number
  condition: number
  status: number
  detected_at: Date
  changed_at: Date
  seen_after: number
}>({
  table: "settlement",
  columns: {
    tx: "bytea",
    exchange: "int2",
    condition: "int4",
    status: "int2",
    detected_at: "timestamptz",
    changed_at: "timestamptz",
    seen_after: "int4",
  },
  suffix: "on conflict (tx) do nothing returning id, encode(tx, 'hex') as tx",
})

export const insertOrders = bulkInsert<{
  settlement: bigint
  place: number
  order_hash: Buffer
  maker: number
  signer: Buffer
  token: number
  side: number
  shares: bigint
  usd: bigint
  fee: bigint
  builder: number | null
}>({
  table: "settlement_order",
  columns: {
    settlement: "int8",
    place: "int4",
    order_hash: "bytea",
    maker: "int4",
    signer: "bytea",
    token: "int4",
    side: "int2",
    shares: "int8",
    usd: "int8",
    fee: "int8",
    builder: "int4",
  },
})

/** The taker's own order is first. */
const ordersOf = ({ taker, makers }: PendingMatch): ReadonlyArray<PendingFill> => [taker, ...makers]

/** Builds the rows of matches, after all their names have ids. */
export const rowsFor = Effect.fnUntraced(function* (
  dictionary: Dictionary["Service"],
  sightings: ReadonlyArray<Sighting>,
) {
  const orders = sightings.flatMap(({ match }) => ordersOf(match))
  const wallets = yield* dictionary.wallets(orders.map(({ maker }) => maker))
  const tokens = yield* dictionary.tokens(orders.map(({ token }) => token))
  const conditions = yield* dictionary.conditions(sightings.map(({ match }) => match.condition))
  const builders = yield* dictionary.builders(orders.flatMap(({ builder }) => (builder === undefined ? [] : [builder])))
  return {
    taker: ({ match }: Sighting) => wallets.get(match.taker.maker) as number,
    settlement: ({ match, at }: Sighting, seenAfter: number) => ({
      tx: bytes(match.tx),
      exchange: exchangeCode(match.exchange),
      condition: conditions.get(match.condition) as number,
      status: statusCode.pending,
      detected_at: new Date(at),
      changed_at: new Date(at),
      seen_after: seenAfter,
    }),
    orders: (settlement: bigint, { match }: Sighting) =>
      ordersOf(match).map((order, place) => ({
        settlement,
        place,
        order_hash: bytes(order.orderHash),
        maker: wallets.get(order.maker) as number,
        signer: bytes(order.signer),
        token: tokens.get(order.token) as number,
        side: order.side === "buy" ? 0 : 1,
        shares: BigInt(order.shares),
        usd: BigInt(order.usd),
        fee: BigInt(order.fee),
        builder: order.builder === undefined ? null : (builders.get(order.builder) as number),
      })),
  }
})

/** The ledger's cursor. */
export interface LedgerPosition {
  readonly block: number
  readonly head: number
  /** Time of the block. */
  readonly at: Date
}

/** Locks the ledger's cursor until the end of the transaction. Undefined if the ledger is empty. */
export const lockLedger = Effect.fnUntraced(function* (sql: SqlClient) {
  // A separate statement: after waiting for the lock, the next one takes a new snapshot.
  yield* sql`select 1 from chain_cursor for share`
  // A subquery: without table statistics, Postgres plans a join as a scan of all blocks.
  const [row] = yield* sql<LedgerPosition | { at: null }>`
    select c.block, c.head, (select b.at from block b where b.number = c.block) as at from chain_cursor c`
  return row === undefined || row.at === null ? undefined : row
})

/** How far back in chain time late matches are looked up in the ledger. */
const lateWindow = Duration.hours(1)

/** The transactions that are already in a block. `taker` is the wallet of the taker's order. */
export const includedTransactions = (
  sql: SqlClient,
  { at }: LedgerPosition,
  txs: ReadonlyArray<{ readonly tx: string; readonly taker: number }>,
) => {
  const seen = unnest(sql, "n", txs, { tx: ["text", ({ tx }) => tx], taker: ["int4", ({ taker }) => taker] })
  return Effect.map(
    sql<{ tx: string }>`
      select n.tx from ${seen}
      where exists (
        select 1 from fill f
        where f.maker = n.taker and f.at >= ${secondFrom(at.getTime() - Duration.toMillis(lateWindow))}
          and ${sql.literal(transactionSql("f"))} = decode(n.tx, 'hex'))`,
    (rows): ReadonlySet<string> => new Set(rows.map(({ tx }) => tx)),
  )
}

/** A literal, not a parameter, so that Postgres can use the partial index on pending settlements. */
const isPending = (sql: SqlClient) => sql.literal(`status = ${statusCode.pending}`)

export const countPending = (sql: SqlClient) =>
  Effect.map(
    sql<{ count: number }>`select count(*)::int as count from settlement where ${isPending(sql)}`,
    ([row]) => row?.count ?? 0,
  )

/** Starts the waiting time of settlements that were seen before the ledger's block, if the ledger is at the head. */
export const startWaiting = (sql: SqlClient, { block, head, at }: LedgerPosition) =>
  block < head
    ? Effect.void
    : Effect.asVoid(sql`
        update settlement set waits_since = ${at}::timestamptz
        where ${isPending(sql)} and waits_since is null and seen_after < ${block}`)

/** Drops pending settlements that have waited for `after` in chain time. */
export const dropWaiting = (sql: SqlClient, { at }: LedgerPosition, after: Duration.Duration, now: number) =>
  sql<{ id: bigint }>`
    update settlement set status = ${statusCode.dropped}, changed_at = ${new Date(now)}::timestamptz
    where ${isPending(sql)}
      and waits_since + make_interval(secs => ${Duration.toSeconds(after)}) <= ${at}::timestamptz
    returning id`

/** Deletes settlements that have not changed since `before`, at most `limit`. Returns the number of deleted ones. */
export const deleteOld = (sql: SqlClient, before: number, limit: number) =>
  Effect.map(
    sql<{ id: bigint }>`
      with gone as (
        delete from settlement where id in (
          select id from settlement
          where detected_at < ${new Date(before)}::timestamptz and changed_at < ${new Date(before)}::timestamptz
            and not (${isPending(sql)})
          order by detected_at limit ${limit})
        returning id),
      orders as (delete from settlement_order o using gone where o.settlement = gone.id)
      select id from gone`,
    (gone) => gone.length,
  )
