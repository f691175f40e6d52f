import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { EventLog } from "#src/mesh/EventLog.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { countConfirmed } from "./metrics.ts"
import { statusCode, statusEvent } from "./model.ts"

/** A transaction that is in a block, 64 digits. */
export interface Included {
  readonly tx: string
  readonly block: number
}

/**
 * Marks the settlements among these transactions as confirmed and tells of it; the others, which nobody saw before their
 * block, are left alone. Part of the transaction that writes the blocks, after it has moved `chain_cursor`: that row is
 * what whoever writes new settlements waits for, so that none is written between the look at the blocks and the commit.
 */
export const confirmSettlements = Effect.fnUntraced(function* (
  sql: SqlClient,
  log: EventLog["Service"],
  fills: ReadonlyArray<Included>,
) {
  if (fills.length === 0) return
  const blocks = new Map(fills.map(({ tx, block }) => [tx, block]))
  const now = yield* Clock.currentTimeMillis
  const txs = pgArray(
    "bytea",
    [...blocks.keys()].map((tx) => Buffer.from(tx, "hex")),
  )
  const confirmed = yield* sql<{ id: bigint; block: number; detected_at: Date }>`
    update settlement s set status = ${statusCode.confirmed}, block = n.block, waits_since = null,
      confirmed_at = ${new Date(now)}::timestamptz, changed_at = ${new Date(now)}::timestamptz
    from unnest(${txs}, ${pgArray("int4", [...blocks.values()])}) n(tx, block)
    where s.tx = n.tx and (s.status <> ${statusCode.confirmed} or s.block <> n.block)
    returning s.id, s.block, s.detected_at`
  if (confirmed.length === 0) return
  yield* log.append(confirmed.map(({ id, block }) => statusEvent(id, "confirmed", now, block)))
  yield* countConfirmed(confirmed.map(({ detected_at }) => now - detected_at.getTime()))
})

/**
 * Makes the settlements of replaced blocks pending again and tells of it. Part of the transaction that takes back the
 * blocks after `fork`, after it has moved `chain_cursor`.
 */
export const unconfirmSettlements = Effect.fnUntraced(function* (
  sql: SqlClient,
  log: EventLog["Service"],
  fork: number,
) {
  const now = yield* Clock.currentTimeMillis
  const pending = yield* sql<{ id: bigint }>`
    update settlement set status = ${statusCode.pending}, block = null, confirmed_at = null, waits_since = null,
      seen_after = ${fork}, changed_at = ${new Date(now)}::timestamptz
    where block > ${fork}
    returning id`
  yield* log.append(pending.map(({ id }) => statusEvent(id, "pending", now, null)))
})
