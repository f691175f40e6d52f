import type { Filters, Subscribe } from "#src/streams/protocol/client.ts"
import type { StreamType } from "#src/streams/protocol/streamTypes.ts"

const maxListed = 100

/** A warning of an acknowledgement that lists items of the request which do not apply, or not yet. */
export const warning = (code: string, what: string, items: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (items.length === 0) return []
  const rest = items.length - maxListed
  return [`${code}: ${what} ${items.slice(0, maxListed).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`]
}

export const unresolved = (code: string, items: ReadonlyArray<string>) => warning(code, "nothing comes for", items)

/** Error text for fields that belong to another stream; undefined if there are none. */
export const misplacedField = (stream: StreamType, message: Subscribe): string | undefined => {
  const { token_ids, markets, filters } = message
  const isOffChain = stream === "orderbook" || stream === "oracle"
  if (isOffChain && (message.confirmations ?? filters?.confirmations) !== undefined)
    return `confirmations is for events of the chain, not for ${stream}`
  if (stream === "orderbook") return undefined
  const field = token_ids !== undefined ? "token_ids" : markets !== undefined ? "markets" : undefined
  return (
    field && `${field} is for order books (type orderbook); for ${stream} use tokens, slugs or condition_ids in filters`
  )
}

const requestsReplay = ({ since, snapshot_count }: Pick<Filters, "since" | "snapshot_count">) =>
  since !== undefined || snapshot_count !== undefined

/** Warnings about fields of a subscribe message that have no effect on its stream. */
export const ignoredFields = (stream: StreamType, message: Subscribe): ReadonlyArray<string> => {
  const { resume, filters = {} } = message
  const hasReplay = requestsReplay(message) || requestsReplay(filters)
  if (stream === "orderbook")
    return resume !== undefined || hasReplay
      ? ["not_applicable: order books begin with their snapshots; resume, since and snapshot_count have no effect"]
      : []
  if (resume === undefined) return []
  if (stream === "oracle")
    return resume.ticks === undefined ? ["not_applicable: price feeds resume by ticks, not by seq"] : []
  return resume.seq === undefined ? ["not_applicable: resume has no seq, so nothing is resumed"] : []
}

export const ignoredInUpdate = (filters: Filters): ReadonlyArray<string> =>
  requestsReplay(filters)
    ? ["not_applicable: an update replays nothing; subscribe again to use since or snapshot_count"]
    : []
