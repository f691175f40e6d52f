import type { NewEvent } from "#src/mesh/EventLog.ts"
import type { PendingMatch } from "#src/upstream/chain/ChainNode.ts"

/** As stored. */
export const statusCode = { pending: 0, confirmed: 1, dropped: 2 } as const

export type Status = keyof typeof statusCode

/** A match and when we heard of it, in milliseconds. */
export interface Sighting {
  readonly match: PendingMatch
  readonly at: number
}

/** Tells of a settlement that nobody has heard of; everything about it is in its row. */
export const seenEvent = (id: bigint): NewEvent => ({ kind: "settlement", ref: id })

/** Tells what a settlement has become: its row holds only the latest. */
export const statusEvent = (id: bigint, status: Status, at: number, block: number | null): NewEvent => ({
  kind: "settlement_status",
  ref: id,
  data: { status, block, at },
})
