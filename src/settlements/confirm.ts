import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { EventLog } from "#src/mesh/EventLog.ts"
import { unnest } from "#src/platform/sql/pgArray.ts"
import { countConfirmed } from "./metrics.ts"
import { statusCode, statusEvent } from "./model.ts"

export interface IncludedTransaction {
  /** 64 digits. */
  readonly tx: string
  readonly block: number
}

/**
 * Confirms the settlements among these transactions and publishes that; transactions without a settlement are ignored. Must
 * run in the transaction that writes the blocks, after it has moved `chain_cursor`: writers of new settlements wait for that
 * row, so none is missed by both.
 */
export const confirmSettlements = Effect.fnUntraced(function* (
  sql: SqlClient,
  log: EventLog["Service"],
  fills: ReadonlyArray<IncludedTransaction>,
) {
  if (fills.length === 0) return
  const blocks = new Map(fills.map(({ tx, block }) => [tx, block]))
  const now = yield* Clock.currentTimeMillis
  const included = unnest(sql, "n", [...blocks], {
    tx: ["bytea", ([tx]) => Buffer.from(tx, "hex")],
    block: ["int4", ([, block]) => block],
  })
  const confirmed = yield* sql<{ id: bigint; block: number; detected_at: Date }>`
    update settlement s set status = ${statusCode.confirmed}, block = n.block, waits_since = null,
      confirmed_at = ${new Date(now)}::timestamptz, changed_at = ${new Date(now)}::timestamptz
    from ${included}
    where s.tx = n.tx and (s.status <> ${statusCode.confirmed} or s.block <> n.block)
    returning s.id, s.block, s.detected_at`
  if (confirmed.length === 0) return
  yield* log.append(confirmed.map(({ id, block }) => statusEvent(id, "confirmed", now, block)))
  yield* countConfirmed(confirmed.map(({ detected_at }) => now - detected_at.getTime()))
})

/**
 * Makes the settlements of replaced blocks pending again and publishes that. Must run in the transaction that removes the
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
