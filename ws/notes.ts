import type { Filters, Subscribe } from "#src/streams/protocol/client.ts"
import type { StreamType } from "#src/streams/protocol/types.ts"

/** What cannot be meant; undefined where all is well. */
export const misplaced = (stream: StreamType, { token_ids, markets }: Subscribe): string | undefined => {
  if (stream === "orderbook") return undefined
  const field = token_ids !== undefined ? "token_ids" : markets !== undefined ? "markets" : undefined
  return (
    field &&
    `${field} is for order books (type orderbook); for ${stream} name tokens, slugs or condition_ids in filters`
  )
}

const replays = ({ since, snapshot_count }: Pick<Filters, "since" | "snapshot_count">) =>
  since !== undefined || snapshot_count !== undefined

/** What was asked for and means nothing here: an acknowledgement says so. */
export const notesOn = (stream: StreamType, message: Subscribe): ReadonlyArray<string> => {
  const { resume, filters = {} } = message
  const asksForReplay = replays(message) || replays(filters)
  if (stream === "orderbook")
    return resume !== undefined || asksForReplay
      ? ["not_applicable: order books begin with their snapshots; resume, since and snapshot_count do nothing here"]
      : []
  if (resume === undefined) return []
  if (stream === "oracle")
    return resume.ticks === undefined ? ["not_applicable: price feeds resume by ticks, not by seq"] : []
  return resume.seq === undefined ? ["not_applicable: resume says no seq, so nothing is resumed"] : []
}

export const notesOnUpdate = (filters: Filters): ReadonlyArray<string> =>
  replays(filters) ? ["not_applicable: an update replays nothing; subscribe anew for since and snapshot_count"] : []
