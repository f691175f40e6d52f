import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { feeInSharesSql, secondFrom, secondOf } from "#src/dictionary/factSql.ts"
import { historyIsComplete } from "#src/ledger/historyIsComplete.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { LineNames } from "./lines.ts"
import type { ExportRange, ObservedBlock, TradePosition } from "./model.ts"
import { PackedTrades, packed } from "./packedTrades.ts"
import { tokenTradesSql } from "./tokenTrades.ts"

/** What a walk needs to start. */
export interface Start {
  /** Of the wallet or the token; undefined if the chain never mentioned it. */
  readonly id: number | undefined
  readonly seen: ObservedBlock | null
  readonly isHistoryIn: boolean
}

interface PageQuery {
  readonly subject: ExportRange["subject"]
  readonly id: number
  readonly from: Date
  readonly behind: TradePosition
  readonly limit: number
}

const names = { wallet: "wallet where address", token: "token where hash" } as const

/** Names cached per walk. A Map: in a micro-benchmark an LRUCache of this size took 14 ms to allocate and twice as long per lookup. */
const maxNames = 100_000

const bufferOf = (bytes: Uint8Array | null) =>
  bytes === null ? Buffer.alloc(0) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Reads records of an id and a fixed number of bytes, as packed by Postgres. */
const readNames = (bytes: Buffer, size: number, write: (id: number, hex: string) => void) => {
  for (let at = 0; at < bytes.length; at += 4 + size)
    write(bytes.readInt32BE(at), bytes.toString("hex", at + 4, at + 4 + size))
}

/** Queries of exports, on a pool of their own. */
export const tradeStore = ({ exports, reads }: Postgres["Service"]) => ({
  start: ({ subject, id }: ExportRange): Effect.Effect<Start, SqlError> =>
    Effect.map(
      exports<{ id: number | null; number: number | null; hash: string | null; at: Date | null; is_in: boolean }>`
        select (select id from ${exports.literal(names[subject])} = ${Buffer.from(id, "hex")}) as id, c.block as number,
          encode(c.hash, 'hex') as hash, b.at, ${historyIsComplete(exports)} as is_in
        from (select) one left join chain_cursor c on true left join block b on b.number = c.block`,
      ([row]) => ({
        id: row?.id ?? undefined,
        seen:
          row?.number == null || row.hash == null || row.at === null
            ? null
            : { number: row.number, hash: row.hash, at: row.at.getTime() },
        isHistoryIn: row?.is_in ?? false,
      }),
    ),

  /** The next trades after a position, newest first, none before `from`. */
  page: ({ subject, id, from, behind, limit }: PageQuery): Effect.Effect<PackedTrades, SqlError> => {
    const at = secondOf(behind.at)
    const fills = exports.literal(subject === "wallet" ? "fill" : tokenTradesSql)
    const isListed = exports.literal(subject === "wallet" ? "maker" : "token")
    const refunded =
      subject === "wallet"
        ? exports`wallet = ${id} and at >= (select to_timestamp(min(at)) from page) and at <= to_timestamp(${at})`
        : exports`block in (select block from page)`
    return Effect.map(
      exports<{ trades: Uint8Array | null }>`
        with page as materialized (
          select * from ${fills} f
          where ${isListed} = ${id} and at >= ${secondFrom(from.getTime())} and at <= ${at}
            and (at < ${at} or (block, log_index) < (${behind.block}, ${behind.logIndex}))
          order by at desc, block desc, log_index desc
          limit ${limit}),
        refunds as materialized (
          select block, order_hash, wallet, in_shares, sum(amount)::int8 as amount from fee_refund
          where ${refunded} group by block, order_hash, wallet, in_shares)
        select string_agg(${packed(exports)}, '' order by f.at desc, f.block desc, f.log_index desc) as trades
        from (
          select page.*, least(page.fee, coalesce(r.amount, 0)) as refund from page
          left join refunds r on r.block = page.block and r.order_hash = page.order_hash
            and r.wallet = page.maker and r.in_shares = ${exports.literal(feeInSharesSql("page"))}
        ) f`,
      ([row]) => new PackedTrades(bufferOf(row?.trades ?? null)),
    )
  },

  /** Names of the wallets and tokens of trades; reads only those that are not cached. */
  names: () => {
    const wallets = new Map<number, string>()
    const tokens = new Map<number, string>()
    const names: LineNames = { wallet: (id) => wallets.get(id) ?? "", token: (id) => tokens.get(id) ?? "" }
    return Effect.fnUntraced(function* (trades: PackedTrades) {
      if (wallets.size > maxNames) wallets.clear()
      if (tokens.size > maxNames) tokens.clear()
      const unknown = { wallets: new Set<number>(), tokens: new Set<number>() }
      for (let row = 0; row < trades.count; row++) {
        const [maker, taker] = [trades.maker(row), trades.taker(row)]
        if (!wallets.has(maker)) unknown.wallets.add(maker)
        if (taker >= 0 && !wallets.has(taker)) unknown.wallets.add(taker)
        if (!tokens.has(trades.token(row))) unknown.tokens.add(trades.token(row))
      }
      if (unknown.wallets.size + unknown.tokens.size === 0) return names
      const [row] = yield* reads<{ wallets: Uint8Array | null; tokens: Uint8Array | null }>`
        select
          (select string_agg(int4send(id) || address, '') from wallet
            where id = any(${pgArray("int4", [...unknown.wallets])})) as wallets,
          (select string_agg(int4send(id) || hash, '') from token
            where id = any(${pgArray("int4", [...unknown.tokens])})) as tokens`
      readNames(bufferOf(row?.wallets ?? null), 20, (id, hex) => wallets.set(id, hex))
      readNames(bufferOf(row?.tokens ?? null), 32, (id, hex) => tokens.set(id, BigInt(`0x${hex}`).toString()))
      return names
    })
  },

  /** Whether a block is still canonical. */
  stands: ({ number, hash }: ObservedBlock): Effect.Effect<boolean, SqlError> =>
    Effect.map(
      reads`select 1 from block where number = ${number} and hash = ${Buffer.from(hash, "hex")}`,
      ({ length }) => length > 0,
    ),
})

export type TradeStore = ReturnType<typeof tradeStore>
