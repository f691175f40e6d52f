import { Effect } from "effect"
import { firstUndoable } from "#src/ledger/positions/firstUndoable.ts"
import { check, type Picture } from "./Check.ts"

interface BlockRow {
  readonly number: number
  readonly hash: Uint8Array
  readonly parent: Uint8Array | null
}

const isSame = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0

/** Blocks without their predecessor, or with another one. Old ones are not all remembered, nor are their parents. */
const unlinked = (rows: ReadonlyArray<BlockRow>, firstFresh: number): ReadonlyArray<number> =>
  rows.flatMap(({ number, parent }, i) => {
    const previous = rows[i - 1]
    if (previous?.number === number - 1) return parent === null || isSame(parent, previous.hash) ? [] : [number]
    return number > firstFresh ? [number] : []
  })

/** The blocks that may still be replaced follow on each other up to where the ledger stands. */
export const checkBlocks = Effect.fnUntraced(function* ({ sql, block, hash, depth }: Picture) {
  const rows = yield* sql<BlockRow>`
    select number, hash, parent from block where number > ${block - depth} order by number`
  const firstFresh = yield* firstUndoable(sql, block, depth)
  const newest = rows.at(-1)
  const isAtCursor = newest !== undefined && newest.number === block && isSame(newest.hash, hash)
  const broken = unlinked(rows, firstFresh)
  return check(
    "blocks",
    broken.length + (isAtCursor ? 0 : 1),
    `${rows.length} that may still be replaced follow on each other`,
    isAtCursor
      ? `${broken.length} do not follow on the one before, the first is ${broken[0]}`
      : `the newest is ${newest?.number ?? "missing"}, but the ledger stands at ${block} or at another hash of it`,
  )
})
