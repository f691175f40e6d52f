import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { finalBlockSql } from "#src/ledger/certainBlock.ts"
import { type PollerName, pollers } from "../contracts.ts"
import type { ConfirmationLevel } from "../model.ts"
import { holdRevision } from "../subscriptions/revision.ts"
import type { Horizon } from "./model.ts"

/** How far a poller has read. */
export interface PollerCursor {
  /** Log entries up to this one are processed. */
  readonly seq: bigint
  /** The highest block that was confirmed so far. */
  readonly block: number
}

/** A poller at one of its levels: each level has a cursor. */
export interface LeveledPoller {
  readonly poller: PollerName
  readonly level: ConfirmationLevel
}

/** The name of its cursor. */
export const cursorName = ({ poller, level }: LeveledPoller): string =>
  level === "confirmed" ? poller : `${poller}:${level}`

export const find = (sql: SqlClient, leveled: LeveledPoller) =>
  Effect.map(
    sql<PollerCursor>`select seq, block from webhook_cursor where poller = ${cursorName(leveled)}`,
    ([cursor]) => cursor,
  )

/** Starts a poller at the first of its webhooks, or at the head of the log. In a transaction. */
export const start = Effect.fnUntraced(function* (sql: SqlClient, leveled: LeveledPoller, head: bigint, now: number) {
  // No webhook that would start before the cursor can be created meanwhile.
  yield* holdRevision(sql)
  yield* sql`
    insert into webhook_cursor (poller, seq, block, moved_at)
    select ${cursorName(leveled)}, least(${head}::bigint, min(since_seq)), 0, ${new Date(now)}::timestamptz from webhook
    where ${pollers[leveled.poller].type} = any(event_types) and level = ${leveled.level}
    on conflict do nothing`
  return (yield* find(sql, leveled)) ?? { seq: head, block: 0 }
})

/** Forgets how far a poller without webhooks has read: it starts again at the first new one. */
export const remove = (sql: SqlClient, leveled: LeveledPoller) =>
  Effect.asVoid(sql`delete from webhook_cursor where poller = ${cursorName(leveled)}`)

/** False if another process has moved the cursor meanwhile. */
export const move = (sql: SqlClient, leveled: LeveledPoller, from: PollerCursor, to: PollerCursor, now: number) =>
  Effect.map(
    sql`
      update webhook_cursor set seq = ${to.seq}, block = ${to.block}, moved_at = ${new Date(now)}
      where poller = ${cursorName(leveled)} and seq = ${from.seq} and block = ${from.block} returning 1`,
    (moved) => moved.length > 0,
  )

interface HorizonRow {
  readonly block: number
  readonly at: Date | null
}

const noBlocks: Horizon = { block: -1, at: 0 }

const decodeHorizon = ([row]: ReadonlyArray<HorizonRow>): Horizon =>
  row === undefined ? noBlocks : { block: row.block, at: row.at?.getTime() ?? 0 }

/** The last block with so many blocks after it. */
export const horizonBehindHead = (sql: SqlClient, confirmations: number) =>
  Effect.map(
    sql<HorizonRow>`
      select c.block - ${confirmations}::int as block,
        (select b.at from block b where b.number <= c.block - ${confirmations}::int order by b.number desc limit 1) as at
      from chain_cursor c`,
    decodeHorizon,
  )

/** The last block that the node calls final, or that is too old to be replaced. */
export const finalHorizon = (sql: SqlClient, reorgDepth: number) =>
  Effect.map(
    sql<HorizonRow>`
      select f.block, (select b.at from block b where b.number <= f.block order by b.number desc limit 1) as at
      from (select ${sql.literal(finalBlockSql(reorgDepth))} as block from chain_cursor) f`,
    decodeHorizon,
  )

export const horizonAt = (sql: SqlClient, block: number) =>
  Effect.map(
    sql<HorizonRow>`
      select ${block}::int as block,
        (select b.at from block b where b.number <= ${block}::int order by b.number desc limit 1) as at`,
    decodeHorizon,
  )
