import { createHash } from "node:crypto"

/** A row shaped roughly like a fill: two keys, a hash, a word and a time. */
export interface Fill {
  readonly id: bigint
  readonly wallet: number
  readonly hash: Uint8Array
  readonly side: string
  readonly at: Date
}

export const table = "bench_fill"
export const recreate = [
  `drop table if exists ${table}`,
  `create table ${table} (id int8 primary key, wallet int4 not null, hash bytea not null, side text not null, at timestamptz not null)`,
  `create index on ${table} (wallet, at)`,
]

export const batch = 2000

const day = 86_400_000
const from = Date.UTC(2026, 0, 1)

/** Deterministic rows: ids increase, wallets and hashes are scattered as on chain. */
export const fillsOf = (count: number): ReadonlyArray<Fill> =>
  Array.from({ length: count }, (_, i) => {
    const hash = createHash("sha256").update(String(i)).digest()
    return {
      id: BigInt(i) * 7n + 5_000_000_000n,
      wallet: hash.readUInt32LE(0) % 50_000,
      hash,
      side: hash[4] === 0 ? "merge" : (hash[4] ?? 0) % 2 === 0 ? "buy" : "sell",
      at: new Date(from + ((i * 431) % (30 * day))),
    }
  })

export const csvOf = (rows: ReadonlyArray<Fill>): string =>
  rows
    .map(
      ({ id, wallet, hash, side, at }) =>
        `${id},${wallet},\\x${Buffer.from(hash).toString("hex")},${side},${at.toISOString()}\n`,
    )
    .join("")

export interface InsertSubject {
  /** Prepares this many rows in memory. */
  readonly prepare: (count: number) => void
  /** Inserts them into the empty table, one transaction per batch; returns seconds. */
  readonly insert: () => Promise<number>
}
