import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"

/** A table with one row: the counted blocks, from `from_block` to `to_block`. */
export type ProgressTable = "rollup_progress" | "builder_progress"

interface Uncounted {
  readonly from_block: number
  readonly to_block: number
  readonly facts_from: number
  readonly settled: number
}

/** A rollup that counts ranges of blocks. */
interface BlockCounter<E> {
  /** The next blocks to count; undefined if none. */
  readonly next: Effect.Effect<BlockRange | undefined, E>
  readonly count: (range: BlockRange) => Effect.Effect<unknown, E>
}

/** Counts blocks until none are left, one transaction each. */
export const countBlocks = <E>(tx: Postgres["Service"]["tx"], { next, count }: BlockCounter<E>) =>
  Effect.repeat(
    tx(
      Effect.gen(function* () {
        const range = yield* next
        if (range === undefined) return false
        yield* count(range)
        return true
      }),
    ),
    { while: (counted) => counted },
  )

/** Fills that one transaction counts, and a few more of the same block. */
const mostFills = 50_000

/** The next blocks to count: newer ones that are settled, else older ones that the ledger has since. Undefined if none. */
export const uncountedRange = Effect.fnUntraced(function* (
  sql: SqlClient,
  table: ProgressTable,
  reorgDepth: number,
  most = mostFills,
) {
  const [state] = yield* sql<Uncounted>`
    select p.from_block, p.to_block, coalesce(v.facts_from, c.started_from) as facts_from,
      c.block - ${reorgDepth}::int as settled
    from ${sql(table)} p cross join chain_cursor c left join ledger_coverage v on true for update of p`
  if (state === undefined) return undefined
  const { from_block, to_block, facts_from, settled } = state
  if (to_block < settled) {
    const [last] = yield* sql<{ block: number }>`
      select block from fill where block > ${to_block} and block <= ${settled} order by block offset ${most} limit 1`
    return { from: to_block + 1, to: last?.block ?? settled } satisfies BlockRange
  }
  if (facts_from >= from_block) return undefined
  const [first] = yield* sql<{ block: number }>`
    select block from fill where block < ${from_block} and block >= ${facts_from} order by block desc offset ${most} limit 1`
  return { from: first?.block ?? facts_from, to: from_block - 1 } satisfies BlockRange
})
