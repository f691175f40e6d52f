import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { feeSql } from "#src/trades/feeSql.ts"

/** Fees of a wallet's own orders, less refunds. Money in 10⁻⁶ dollars. */
export interface FeeSums {
  readonly amount: bigint
  readonly feeFills: number
  readonly fills: number
  readonly firstBlock: number | null
  readonly lastBlock: number | null
}

export const noFees: FeeSums = { amount: 0n, feeFills: 0, fills: 0, firstBlock: null, lastBlock: null }

const end = (choose: (...blocks: ReadonlyArray<number>) => number, one: number | null, other: number | null) =>
  one === null || other === null ? (one ?? other) : choose(one, other)

export const addFees = (one: FeeSums, other: FeeSums): FeeSums => ({
  amount: one.amount + other.amount,
  feeFills: one.feeFills + other.feeFills,
  fills: one.fills + other.fills,
  firstBlock: end(Math.min, one.firstBlock, other.firstBlock),
  lastBlock: end(Math.max, one.lastBlock, other.lastBlock),
})

/** Fills after one second, up to and with another. */
export const sumFees = (sql: SqlClient, wallet: number, after: number, until: number) =>
  Effect.map(
    sql<FeeSums>`
      select coalesce(sum(f.fee), 0)::int8 as amount, (count(*) filter (where f.fee > 0))::int as "feeFills",
        count(*)::int as fills, min(f.block) filter (where f.fee > 0) as "firstBlock",
        max(f.block) filter (where f.fee > 0) as "lastBlock"
      from (
        select f.block, case when f.fee = 0 then 0 else ${sql.literal(feeSql("f"))} end as fee from fill f
        where f.maker = ${wallet} and f.at > ${after} and f.at <= ${until}) f`,
    ([row]) => (row === undefined ? noFees : { ...row }),
  )

/** The second of the fill that follows after so many others in a range; undefined if there are not as many. */
export const secondBehind = (sql: SqlClient, wallet: number, after: number, until: number, fills: number) =>
  Effect.map(
    sql<{ at: number }>`
      select at from fill where maker = ${wallet} and at > ${after} and at <= ${until} order by at offset ${fills} limit 1`,
    ([row]) => row?.at,
  )

/** The newest second whose fills cannot be replaced any more, and the newest block. */
export const newestFinal = (sql: SqlClient, depth: number) =>
  Effect.map(
    sql<{ block: number; at: number | null }>`
      select c.block, (
        select floor(extract(epoch from b.at))::int from block b where b.number <= c.block - ${depth}::int
        order by b.number desc limit 1) as at
      from chain_cursor c`,
    ([row]) => ({ block: row?.block ?? 0, at: row?.at ?? 0 }),
  )
