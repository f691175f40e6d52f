import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bulkInsertFrom } from "#src/platform/sql/bulkWrite.ts"
import { isCanonical } from "./events.ts"
import { bytes, factTables } from "./factRows.ts"
import type { Batch, BlockRecord, Cursor } from "./model.ts"
import { firstUndoable } from "./positions/undo.ts"
import type { TransactionsByBlock } from "./transactionsByBlock.ts"

const cursorName = "polygon"

/** A crash of Postgres can lose the last commits of a backfill; the next batch would leave a gap after the cursor. */
export class LedgerGap extends Schema.TaggedError<LedgerGap>()("LedgerGap", {
  first: Schema.Number,
  block: Schema.Number,
}) {
  override get message() {
    return `block ${this.first} cannot follow: the ledger is at block ${this.block}, so the blocks between are read again`
  }
}

export const readCursor = (sql: SqlClient) =>
  Effect.map(
    sql<{ block: number; hash: Uint8Array; started_from: number; caught_up: boolean }>`
      select block, hash, started_from, caught_up_at is not null as caught_up from chain_cursor where name = ${cursorName}`,
    ([row]) =>
      Option.map(
        Option.fromUndefinedOr(row),
        ({ block, hash, started_from, caught_up }): Cursor => ({
          block,
          hash: Buffer.from(hash).toString("hex"),
          startedFrom: started_from,
          hasCaughtUp: caught_up,
        }),
      ),
  )

export const moveCursor = (sql: SqlClient, { first, last, head }: Pick<Batch, "first" | "last" | "head">) => sql`
  insert into chain_cursor as c (name, block, hash, started_from, head, caught_up_at)
  values (${cursorName}, ${last.number}, ${bytes(last.hash)}, ${first}, ${head},
    case when ${last.number}::int >= ${head}::int then now() end)
  on conflict (name) do update set
    block = excluded.block, hash = excluded.hash, head = excluded.head, updated_at = now(), halted = null,
    caught_up_at = coalesce(c.caught_up_at, excluded.caught_up_at),
    finalized = case when c.finalized > excluded.block then excluded.block else c.finalized end`

/** Records the newest final block. False if the ledger has none like it, because it is behind or about to roll back. */
export const setFinalized = (sql: SqlClient, { number, hash }: Batch["last"]) =>
  Effect.map(
    sql`
    update chain_cursor set finalized = greatest(finalized, ${number}::int)
    where name = ${cursorName} and block >= ${number}::int
      and exists (select from block where number = ${number} and hash = ${bytes(hash)})
    returning 1`,
    ({ length }) => length > 0,
  )

export const setHead = (sql: SqlClient, head: number, haltReason: string | undefined) =>
  Effect.asVoid(sql`
    update chain_cursor set head = greatest(block, ${head}::int), halted = ${haltReason ?? null}::text
    where name = ${cursorName}`)

/** Whether the ledger is empty. Fails if the batch does not follow on the cursor. */
export const isEmptyBefore = (sql: SqlClient, { first }: Batch) =>
  Effect.flatMap(sql<{ block: number }>`select block from chain_cursor where name = ${cursorName}`, ([row]) =>
    row === undefined || row.block === first - 1
      ? Effect.succeed(row === undefined)
      : Effect.fail(new LedgerGap({ first, block: row.block })),
  )

/** The hashes of the stored blocks of a range, in order. */
export const readHashes = (sql: SqlClient, from: number, to: number) =>
  Effect.map(
    sql<{ number: number; hash: Uint8Array }>`
      select number, hash from block where number between ${from} and ${to} order by number`,
    (rows) => rows.map(({ number, hash }) => ({ number, hash: Buffer.from(hash).toString("hex") })),
  )

/** The oldest stored block. */
export const readOldest = (sql: SqlClient) =>
  Effect.map(
    sql<{ number: number; hash: Uint8Array }>`select number, hash from block order by number limit 1`,
    ([row]) =>
      Option.map(Option.fromUndefinedOr(row), ({ number, hash }) => ({
        number,
        hash: Buffer.from(hash).toString("hex"),
      })),
  )

export const readForks = Effect.fnUntraced(function* (sql: SqlClient, cursor: number, depth: number) {
  const first = yield* firstUndoable(sql, cursor, depth)
  return yield* readHashes(sql, first - 1, cursor)
})

const insert = (suffix: string) =>
  bulkInsertFrom<BlockRecord, TransactionsByBlock>({
    table: "block",
    columns: {
      number: ["int4", ({ number }) => number],
      hash: ["hex", ({ hash }) => hash],
      parent: ["hex", ({ parent }) => parent ?? null],
      at: ["timestamptz", ({ at }) => at],
      logs: ["int4", ({ logs }) => logs],
      transactions: [
        "hex",
        ({ number }, of) =>
          of(number)
            .map(({ hash }) => hash)
            .join(""),
      ],
      transaction_logs: ["int4[]", ({ number }, of) => of(number).map(({ firstLog }) => firstLog)],
    },
    suffix,
  })
/** Inserts blocks, which name the transactions of their facts. */
export const insertBlocks = insert("")

/** Inserts blocks that are not stored, and names the transactions of stored ones again. */
export const completeBlocks = insert(`
  on conflict (number) do update set transactions = excluded.transactions, transaction_logs = excluded.transaction_logs`)

/** Deletes the facts and blocks after `fork`. */
export const deleteAfter = Effect.fnUntraced(function* (sql: SqlClient, fork: number) {
  for (const table of factTables) yield* sql`delete from ${sql(table)} where block > ${fork}`
  yield* sql`delete from block where number > ${fork}`
})

/** Sequence numbers of the canonical events of blocks after `fork`, ascending. */
export const eventsAfter = (sql: SqlClient, fork: number) =>
  Effect.map(
    sql<{ seq: bigint }>`
      select e.seq from event_log e where ${isCanonical(sql)} and e.ref > ${fork} order by e.seq`,
    (rows) => rows.map(({ seq }) => Number(seq)),
  )

/** Deletes what is only needed to undo blocks before this one. */
export const deleteUndoBefore = Effect.fnUntraced(function* (sql: SqlClient, block: number) {
  yield* sql`delete from position_undo where block < ${block}`
  yield* sql`delete from block where number < ${block} and logs = 0`
})
