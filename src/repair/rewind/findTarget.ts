import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { droppedBefore } from "#src/ledger/coverage/CoverageStore.ts"
import * as LedgerStore from "#src/ledger/LedgerStore.ts"
import type { Batch } from "#src/ledger/model.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"

/** The ledger cannot be rewound like this; nothing was written. */
export class RewindRefused extends Schema.TaggedError<RewindRefused>()("RewindRefused", { reason: Schema.String }) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return this.reason
  }
}

const refuse = (reason: string) => Effect.fail(new RewindRefused({ reason }))

type StoredBlock = Batch["last"]

const stored = (sql: SqlClient, where: Fragment) =>
  Effect.map(
    sql<{ number: number; hash: Uint8Array }>`select number, hash from block where ${where} limit 1`,
    ([row]): StoredBlock | undefined => row && { number: row.number, hash: Buffer.from(row.hash).toString("hex") },
  )

const newestUpTo = (sql: SqlClient, number: number) => stored(sql, sql`number <= ${number} order by number desc`)
const oldestFrom = (sql: SqlClient, number: number) => stored(sql, sql`number >= ${number} order by number`)

const isOnNode = Effect.fnUntraced(function* ({ number, hash }: StoredBlock) {
  const header = yield* (yield* ChainNode).header(number)
  if (header === undefined) {
    return yield* refuse(
      `the node has no block ${number}: nodes prune old blocks. Connect one that has it, or choose --to among the blocks that this one has`,
    )
  }
  return header.hash === hash
})

/** The newest stored block that the node has too, between one that it has and one that it has not. */
const lastShared = Effect.fnUntraced(function* (sql: SqlClient, shared: StoredBlock, replaced: StoredBlock) {
  let [low, high] = [shared, replaced]
  while (true) {
    const half = yield* newestUpTo(sql, Math.floor((low.number + high.number) / 2))
    // Not every block is stored.
    const next = half === undefined || half.number <= low.number ? yield* oldestFrom(sql, low.number + 1) : half
    if (next === undefined || next.number >= high.number) return low
    if (yield* isOnNode(next)) low = next
    else high = next
  }
})

/** The block to rewind to: the given one, or the newest that the ledger and the node share. */
export const findTarget = Effect.fnUntraced(function* (sql: SqlClient, head: number, to: number | undefined) {
  const found = yield* LedgerStore.readCursor(sql)
  if (Option.isNone(found)) return yield* refuse("the ledger is empty: there is nothing to rewind")
  const cursor = found.value
  const first = Math.max(cursor.startedFrom, (yield* droppedBefore(sql)) ?? 0)
  if (to !== undefined && (to < first || to >= cursor.block)) {
    return yield* refuse(
      `--to must be from ${first}, where the facts of the ledger begin, to ${cursor.block - 1}, the block before its last one`,
    )
  }
  const newest = yield* newestUpTo(sql, Math.min(to ?? cursor.block, cursor.block))
  const oldest = yield* oldestFrom(sql, first)
  if (newest === undefined || oldest === undefined || newest.number < first) {
    const advice = oldest === undefined ? "begin with an empty database" : `the first one is --to ${oldest.number}`
    return yield* refuse(`no block from ${first} to ${to ?? cursor.block} is stored: ${advice}`)
  }
  if (!(yield* isOnNode(oldest))) {
    return yield* refuse(
      `block ${oldest.number}, the oldest of the ledger, is not on the node's chain: this is another chain. Connect the node that the ledger was read from, or start with an empty database`,
    )
  }
  if (yield* isOnNode(newest)) {
    return to === undefined
      ? yield* refuse(
          `block ${newest.number}, the last of the ledger, is on the node's chain: nothing is to be rewound`,
        )
      : { cursor, target: newest }
  }
  if (to !== undefined) {
    return yield* refuse(
      `block ${newest.number} is not on the node's chain either: choose an earlier --to, or leave it out`,
    )
  }
  const target = yield* lastShared(sql, oldest, newest)
  const newestOfNode = yield* newestUpTo(sql, Math.min(head, cursor.block))
  if (newestOfNode?.number === target.number && head < cursor.block) {
    return yield* refuse(
      `the node is only at block ${head}, and the ledger agrees with it up to there: wait until the node has caught up, or choose --to`,
    )
  }
  return { cursor, target }
})
