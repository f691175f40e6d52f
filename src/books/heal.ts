import { Clock, Effect } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"
import type { BookShard } from "./BookShard.ts"
import { countResyncs } from "./metrics.ts"
import { booksAudit } from "./settings.ts"

/** Reads the books that are in doubt anew, all of them with one request, a few times a second at most. */
export const resync = Effect.fnUntraced(function* (shard: BookShard) {
  const rest = yield* ClobRest
  const once = Effect.gen(function* () {
    const requests = shard.takeRequests(yield* Clock.currentTimeMillis)
    if (requests.length === 0) return
    yield* countResyncs(requests.map(({ reason }) => reason))
    yield* rest.books(requests.map(({ token }) => token)).pipe(
      Effect.flatMap((books) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const byToken = new Map(books.map((book) => [book.token, book]))
          for (const request of requests) shard.receiveSnapshot(request, byToken.get(request.token), now)
        }),
      ),
      Effect.catch((failure) => {
        shard.retry(requests)
        return Effect.logWarning(`${requests.length} books could not be read anew: ${failure.message}`)
      }),
    )
  })
  return yield* Effect.forever(Effect.andThen(once, Effect.sleep("100 millis")))
})

/**
 * Compares the books with those that the venue shows. A change of a level deep down that got lost leaves no other trace,
 * and a connection that has fallen silent looks like one of books at rest.
 */
export const audit = Effect.fnUntraced(function* (shard: BookShard) {
  const rest = yield* ClobRest
  const config = yield* Configuration
  let auditedAt = 0
  const once = Effect.gen(function* () {
    const before = auditedAt
    auditedAt = yield* Clock.currentTimeMillis
    const live = [...shard.tokens].filter((token) => shard.book(token)?.isLive)
    for (const shown of yield* rest.books(live)) {
      const connection = shard.connectionOf(shown.token)
      const isSilent = shard.audit(shown) && connection !== undefined && connection.receivedAt < before
      if (isSilent) connection.feed.reconnect("books changed and nothing was received of it")
    }
  }).pipe(Effect.catch((failure) => Effect.logDebug(failure.message)))
  return yield* Effect.forever(
    Effect.andThen(
      Effect.suspend(() => Effect.sleep(config.get(booksAudit))),
      once,
    ),
  )
})
