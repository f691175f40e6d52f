import { Clock, Deferred, Effect, FiberSet } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Feed } from "#src/feed/Feed.ts"
import type { FeedEntry } from "#src/feed/model.ts"
import { retryTransient } from "#src/platform/sql/sqlFailure.ts"

/** Seqs that a page spans. */
export const pageSpan = 1000
const mostKept = 64
/** A page may be of facts that are taken back soon after. */
const keptMillis = 10_000

interface Page {
  readonly entries: Deferred.Deferred<ReadonlyArray<FeedEntry>, SqlError>
  readonly readAt: number
  /** What came after this may have come after the page was read. */
  readonly until: number
}

/**
 * The log before what is in memory, for many who come back at once: whoever wants the same page waits for the same
 * read. Page n has the entries with a seq above n × span, up to (n + 1) × span; of the last one those that are there by
 * now, which is at least as far as the caller says.
 */
export const makePages = Effect.gen(function* () {
  const feed = yield* Feed
  const clock = yield* Clock.Clock
  const run = yield* FiberSet.makeRuntime<never>()
  const pages = new Map<number, Page>()

  const read = (number: number) =>
    feed.read({ after: number * pageSpan, limit: pageSpan }).pipe(
      retryTransient("10 seconds"),
      Effect.map((entries) => entries.filter(({ seq }) => seq <= (number + 1) * pageSpan)),
    )

  return (number: number, knownUntil: number): Effect.Effect<ReadonlyArray<FeedEntry>, SqlError> =>
    Effect.suspend(() => {
      const now = clock.currentTimeMillisUnsafe()
      const until = Math.min(knownUntil, (number + 1) * pageSpan)
      const known = pages.get(number)
      if (known !== undefined && now - known.readAt < keptMillis && known.until >= until)
        return Deferred.await(known.entries)
      const page: Page = { entries: Deferred.makeUnsafe(), readAt: now, until }
      pages.delete(number)
      pages.set(number, page)
      if (pages.size > mostKept) pages.delete(pages.keys().next().value ?? number)
      run(
        Effect.onExit(read(number), (exit) => {
          if (exit._tag === "Failure" && pages.get(number) === page) pages.delete(number)
          return Deferred.done(page.entries, exit)
        }),
      )
      return Deferred.await(page.entries)
    })
})

export type Pages = Effect.Success<typeof makePages>
