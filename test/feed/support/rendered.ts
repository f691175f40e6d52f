import { Effect, Layer } from "effect"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import { Feed } from "#src/feed/Feed.ts"
import type { EventType, FeedEntry, FeedMessage } from "#src/feed/model.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { type TestDatabase, testFoundation } from "#test/support/TestStores.ts"

export const stores = (database?: TestDatabase) =>
  Layer.merge(ledger, Feed.layer.pipe(Layer.provideMerge(Enrichment.layer))).pipe(
    Layer.provideMerge(testFoundation({ "event-log.retention": "3650d" }, [], database)),
  )

/** All entries from the beginning of the log. */
export const allEntries = Effect.gen(function* () {
  const feed = yield* Feed
  const entries: Array<FeedEntry> = []
  for (;;) {
    const page = yield* feed.read({ after: entries.at(-1)?.seq ?? 0, limit: 1_000 })
    if (page.length === 0) return entries
    for (const entry of page) entries.push(entry)
  }
})

export const messagesOf = (entries: ReadonlyArray<FeedEntry>, type: EventType): ReadonlyArray<FeedMessage> =>
  entries.flatMap(({ messages }) => messages.filter((message) => message.type === type))

/** Some fields of a message, as one line. */
export const lineOf = (data: FeedMessage["data"], ...fields: ReadonlyArray<string>): string =>
  fields.map((field) => String(data[field])).join(" ")

export const linesOf = (entries: ReadonlyArray<FeedEntry>, type: EventType, ...fields: ReadonlyArray<string>) =>
  messagesOf(entries, type)
    .map(({ data }) => lineOf(data, ...fields))
    .toSorted()
