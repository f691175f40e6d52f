import { Clock, Deferred, Effect, FiberSet } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { LRUCache } from "lru-cache"
import type { Feed } from "#src/feed/Feed.ts"
import type { FeedEntry } from "#src/feed/model.ts"
import { retryTransient } from "#src/platform/sql/sqlFailure.ts"

/** Seqs per page. */
export const pageSpan = 1000
const maxCached = 64
/** Facts of a page may be retracted soon after. */
const cacheMillis = 10_000

interface Page {
  readonly entries: Deferred.Deferred<ReadonlyArray<FeedEntry>, SqlError>
  readonly readAt: number
  /** Entries after this seq may have been appended after the read. */
  readonly until: number
}

/**
 * Reads older parts of the log for many clients that resume at once: requests for the same page share one read. Page n
 * holds the entries with seqs above n × span up to (n + 1) × span. The last page holds at least the entries up to
 * `knownUntil`.
 */
export const makeLogPages = Effect.fnUntraced(function* (read: Feed["Service"]["read"]) {
  const clock = yield* Clock.Clock
  const run = yield* FiberSet.makeRuntime<never>()
  const pages = new LRUCache<number, Page>({ max: maxCached })

  const readPage = (number: number) =>
    read({ after: number * pageSpan, limit: pageSpan }).pipe(
      retryTransient("10 seconds"),
      Effect.map((entries) => entries.filter(({ seq }) => seq <= (number + 1) * pageSpan)),
    )

  return (number: number, knownUntil: number): Effect.Effect<ReadonlyArray<FeedEntry>, SqlError> =>
    Effect.suspend(() => {
      const now = clock.currentTimeMillisUnsafe()
      const until = Math.min(knownUntil, (number + 1) * pageSpan)
      const known = pages.get(number)
      if (known !== undefined && now - known.readAt < cacheMillis && known.until >= until)
        return Deferred.await(known.entries)
      const page: Page = { entries: Deferred.makeUnsafe(), readAt: now, until }
      pages.set(number, page)
      run(
        Effect.onExit(readPage(number), (exit) => {
          if (exit._tag === "Failure" && pages.get(number) === page) pages.delete(number)
          return Deferred.done(page.entries, exit)
        }),
      )
      return Deferred.await(page.entries)
    })
})
