import { Effect } from "effect"
import { Feed } from "#src/feed/Feed.ts"
import type { EventType, FeedEntry, FeedMessage } from "#src/feed/model.ts"
import { EventLog } from "#src/mesh/EventLog.ts"

/** Entries rendered at a time, and the maximum number of chunks per page: a rare type spreads over several pages. */
const chunkSize = 1000
const maxChunks = 5

interface PageRequest {
  readonly after: number
  /** The maximum number of entries with messages. */
  readonly limit: number
  readonly types: ReadonlySet<EventType> | undefined
}

export interface EventPage {
  readonly messages: ReadonlyArray<FeedMessage>
  /** The number of entries that the messages come from. */
  readonly entries: number
  /** Cursor of the next page. */
  readonly nextAfter: number
  readonly hasMore: boolean
  readonly oldest: number
  readonly newest: number
  /** Entries right after `after` are no longer retained. */
  readonly gap: boolean
}

/** Pages of rendered event log entries. The messages of an entry share one seq and stay on one page. */
export const eventPages = Effect.gen(function* () {
  const feed = yield* Feed
  const log = yield* EventLog
  const oldestOf = Effect.map(log.read({ after: 0n, limit: 1 }), ([first]) => Number(first?.seq ?? 0n))

  return Effect.fnUntraced(function* ({ after, limit, types }: PageRequest) {
    const [oldest, head] = yield* Effect.all([oldestOf, log.head], { concurrency: 2 })
    const selected = ({ messages }: FeedEntry) =>
      types === undefined ? messages : messages.filter(({ type }) => types.has(type))
    const size = types === undefined ? limit : chunkSize
    const messages: Array<FeedMessage> = []
    let last = after
    let count = 0
    for (let read = 0; read < maxChunks && count < limit; read++) {
      const entries = yield* feed.read({ after: last, limit: size })
      for (const entry of entries) {
        if (count === limit) break
        const more = selected(entry)
        if (more.length > 0) count++
        messages.push(...more)
        last = entry.seq
      }
      if (entries.length < size) break
    }
    const newest = last > after ? Math.max(Number(head), last) : Number(head)
    const page: EventPage = {
      messages,
      entries: count,
      nextAfter: last,
      hasMore: last < newest,
      oldest,
      newest,
      gap: after > 0 && after < oldest - 1,
    }
    return page
  })
})
