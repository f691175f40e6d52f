import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { feeInSharesSql, transactionSql } from "#src/dictionary/factSql.ts"
import type { Shares, Usdc, Whole } from "#src/domain/amounts.ts"
import type { TradePosition } from "./model.ts"

/**
 * A page of fills, packed by Postgres into one value with fixed-width fields. Text output, or decoding row by row, costs
 * several times as much.
 */
const places = {
  tx: 0,
  orderHash: 32,
  at: 64,
  block: 68,
  logIndex: 72,
  taker: 76,
  token: 80,
  shares: 84,
  usd: 92,
  fee: 100,
  refund: 108,
  flags: 116,
  maker: 118,
} as const
const width = 122

/** Columns of a fill `f` with its `refund`. A taker that is an exchange has a negative number. */
export const packed = (sql: SqlClient) =>
  sql.literal(`${transactionSql("f")} || f.order_hash || int4send(f.at) || int4send(f.block) || int4send(f.log_index)
    || int4send(case f.taker when 0 then -1 - f.exchange else f.taker end) || int4send(f.token) || int8send(f.shares)
    || int8send(f.usd) || int8send(f.fee) || int8send(f.refund)
    || int2send((f.is_sale::int + 2 * ${feeInSharesSql("f")}::int)::int2) || int4send(f.maker)`)

/** A page of fills in order. */
export class PackedTrades {
  readonly count: number
  readonly #bytes: Buffer
  /** Slicing one long string costs less than formatting many short ones. */
  readonly #hex: string

  constructor(bytes: Uint8Array) {
    this.count = bytes.length / width
    if (!Number.isInteger(this.count)) throw new Error(`${bytes.length} bytes are no fills of ${width} bytes each`)
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#hex = this.#bytes.toString("hex")
  }

  #digits(row: number, place: number): string {
    const from = (row * width + place) * 2
    return this.#hex.slice(from, from + 64)
  }
  #int(row: number, place: number): number {
    return this.#bytes.readInt32BE(row * width + place)
  }
  #long(row: number, place: number): number | bigint {
    const at = row * width + place
    const value = this.#bytes.readInt32BE(at) * 2 ** 32 + this.#bytes.readUInt32BE(at + 4)
    return Number.isSafeInteger(value) ? value : this.#bytes.readBigInt64BE(at)
  }

  tx = (row: number): string => this.#digits(row, places.tx)
  orderHash = (row: number): string => this.#digits(row, places.orderHash)
  at = (row: number): number => 1000 * this.#int(row, places.at)
  maker = (row: number): number => this.#int(row, places.maker)
  taker = (row: number): number => this.#int(row, places.taker)
  token = (row: number): number => this.#int(row, places.token)
  shares = (row: number): Shares<Whole> => this.#long(row, places.shares) as Shares<Whole>
  usd = (row: number): Usdc<Whole> => this.#long(row, places.usd) as Usdc<Whole>
  fee = (row: number): Whole => this.#long(row, places.fee)
  /** Part of the fee that was paid back, in the unit of the fee. */
  refund = (row: number): Whole => this.#long(row, places.refund)
  isSale = (row: number): boolean => (this.#bytes.readInt16BE(row * width + places.flags) & 1) === 1
  isFeeInShares = (row: number): boolean => (this.#bytes.readInt16BE(row * width + places.flags) & 2) === 2

  place = (row: number): TradePosition => ({
    at: this.at(row),
    block: this.#int(row, places.block),
    logIndex: this.#int(row, places.logIndex),
  })
}
