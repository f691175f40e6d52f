import type { NewEvent } from "#src/mesh/EventLog.ts"
import type { PendingMatch } from "#src/upstream/chain/ChainNode.ts"

/** Stored values. */
export const statusCode = { pending: 0, confirmed: 1, dropped: 2 } as const

export type SettlementStatus = keyof typeof statusCode

/** A match and when it was seen, in milliseconds. */
export interface Sighting {
  readonly match: PendingMatch
  readonly at: number
}

/** The event of a new settlement; its row has the details. */
export const seenEvent = (id: bigint): NewEvent => ({ kind: "settlement", ref: id })

/** The event of a status change; the row holds only the latest status. */
export const statusEvent = (id: bigint, status: SettlementStatus, at: number, block: number | null): NewEvent => ({
  kind: "settlement_status",
  ref: id,
  data: { status, block, at },
})
