import { Effect } from "effect"
import { isCanonical } from "#src/ledger/events.ts"
import { factTables } from "#src/ledger/factRows.ts"
import { firstUndoable } from "#src/ledger/positions/undo.ts"
import { check, type VerifySnapshot } from "./Check.ts"

/** No rows of blocks after the cursor. */
export const checkCursor = Effect.fnUntraced(function* ({ sql, block }: VerifySnapshot) {
  const counts = yield* Effect.forEach(factTables, (table) =>
    Effect.map(
      sql<{ n: number }>`select count(*)::int as n from ${sql(table)} where block > ${block}`,
      ([row]) => row?.n ?? 0,
    ),
  )
  const beyond = counts.reduce((sum, n) => sum + n, 0)
  return check("cursor", beyond, `at block ${block}, no rows beyond it`, `${beyond} rows are beyond block ${block}`)
})

interface BlockRow {
  readonly number: number
  readonly hash: Uint8Array
  readonly parent: Uint8Array | null
}

const isSame = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0

/** Blocks without their predecessor, or with another parent. Not all finalized blocks, nor their parents, are stored. */
const unlinked = (rows: ReadonlyArray<BlockRow>, undoableFrom: number): ReadonlyArray<number> =>
  rows.flatMap(({ number, parent }, i) => {
    const previous = rows[i - 1]
    if (previous?.number === number - 1) return parent === null || isSame(parent, previous.hash) ? [] : [number]
    return number > undoableFrom ? [number] : []
  })

/** The blocks that may still be replaced form a chain up to the cursor. */
export const checkBlocks = Effect.fnUntraced(function* ({ sql, block, hash, depth }: VerifySnapshot) {
  const rows = yield* sql<BlockRow>`
    select number, hash, parent from block where number > ${block - depth} order by number`
  const undoableFrom = yield* firstUndoable(sql, block, depth)
  const newest = rows.at(-1)
  const isAtCursor = newest !== undefined && newest.number === block && isSame(newest.hash, hash)
  const broken = unlinked(rows, undoableFrom)
  return check(
    "blocks",
    broken.length + (isAtCursor ? 0 : 1),
    `${rows.length} that may still be replaced form a chain`,
    isAtCursor
      ? `${broken.length} do not follow on the block before, first ${broken[0]}`
      : `the newest is ${newest?.number ?? "missing"}, but the ledger is at block ${block} or at another hash of it`,
  )
})

/**
 * Every fill is stored once, and its block names its transaction. No unique index ensures the former, because it would take
 * a tenth of the space.
 */
export const checkFills = Effect.fnUntraced(function* ({ sql }: VerifySnapshot) {
  const [row] = yield* sql<{ repeated: number; unnamed: number }>`
    select
      (select coalesce(sum(n - 1), 0)::int from (
        select count(*) as n from fill group by block, log_index having count(*) > 1) f) as repeated,
      (select count(*)::int from fill f left join block b on b.number = f.block
        where coalesce(width_bucket(f.log_index, b.transaction_logs), 0) = 0) as unnamed`
  const { repeated, unnamed } = row ?? { repeated: 0, unnamed: 0 }
  return check(
    "fills",
    repeated + unnamed,
    "each is stored once and has a transaction",
    `${repeated} are stored twice, ${unnamed} have no transaction`,
  )
})

/** Events of replaced blocks are retracted. */
export const checkEvents = Effect.fnUntraced(function* ({ sql, block }: VerifySnapshot) {
  const [row] = yield* sql<{ n: number }>`
    select count(*)::int as n from event_log e where ${isCanonical(sql)} and e.ref > ${block}`
  const unretracted = row?.n ?? 0
  return check(
    "events",
    unretracted,
    `all events of blocks after ${block} are retracted`,
    `${unretracted} events of blocks after ${block} are not retracted`,
  )
})
