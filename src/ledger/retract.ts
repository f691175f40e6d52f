import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { EventLog } from "#src/mesh/EventLog.ts"
import { unconfirmSettlements } from "#src/settlements/confirm.ts"
import { eventsAfter } from "./LedgerStore.ts"
import type { Batch } from "./model.ts"

/**
 * Publishes that the blocks after `fork` are gone, and which events with them. Must run in the transaction that removes them,
 * after it has moved `chain_cursor`. Returns the number of retracted events.
 */
export const retractAfter = Effect.fnUntraced(function* (
  sql: SqlClient,
  log: EventLog["Service"],
  { number, hash }: Batch["last"],
) {
  yield* unconfirmSettlements(sql, log, number)
  const retracted = yield* eventsAfter(sql, number)
  const data = { fork_block: number, fork_hash: `0x${hash}`, retracted }
  yield* log.append([{ kind: "reorg", ref: BigInt(number), data }])
  return retracted.length
})
