import { Clock, Effect } from "effect"
import type { Lease } from "#src/mesh/Lease.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { Baselines } from "./Baselines.ts"
import { BookCache } from "./BookCache.ts"
import type { BookShard } from "./BookShard.ts"
import { countAnnounced } from "./metrics.ts"
import type { PriceMoves } from "./PriceMoves.ts"
import { Publication } from "./Publication.ts"
import { booksPriceChangeThreshold } from "./settings.ts"
import type { TradedBooks } from "./TradedBooks.ts"

const booksPerCall = 200
const heartbeatMillis = 1_000

/** Publishes changed books to Redis, and a heartbeat. */
export const publishBooks = Effect.fnUntraced(function* (
  number: number,
  lease: Lease,
  shard: BookShard,
  moves: PriceMoves,
  traded: TradedBooks,
) {
  const cache = yield* BookCache
  const publication = new Publication(lease.epoch)
  let publishedAt = 0
  let publications = 0

  const once = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const changed = [...shard.takeChanged()]
    if (changed.length === 0 && now - publishedAt < heartbeatMillis) return
    for (const token of changed) moves.changed(token)
    yield* Effect.gen(function* () {
      for (let from = 0; from === 0 || from < changed.length; from += booksPerCall) {
        const tokens = changed.slice(from, from + booksPerCall)
        const books = tokens.map((token) => publication.next(token, shard.book(token)))
        const heardAt = shard.heardAt(now)
        const request = { epoch: lease.epoch, number: ++publications, heardAt, books }
        const hasLostData = yield* cache.publish(number, request)
        publication.confirm(books)
        for (const book of books) traded.note(book)
        if (!hasLostData) continue
        // Redis had nothing of this shard or lost some of it: publish everything again.
        publication.markAllUncertain()
        shard.markChanged(shard.tokens)
      }
      publishedAt = now
    }).pipe(
      Effect.catchTag("RedisFailure", (error) => {
        publication.markUncertain(changed)
        shard.markChanged(changed)
        return Effect.logDebug(error.message)
      }),
    )
  })
  return yield* Effect.forever(Effect.andThen(once, Effect.sleep("100 millis")))
})

/** Writes price changes to the event log. */
export const announcePriceMoves = Effect.fnUntraced(function* (lease: Lease, shard: BookShard, moves: PriceMoves) {
  const baselines = yield* Baselines
  const config = yield* Configuration

  const once = Effect.gen(function* () {
    const unknown = moves.withoutBaseline()
    if (unknown.length > 0) moves.load(yield* baselines.load(unknown))
    const now = yield* Clock.currentTimeMillis
    const threshold = Math.round(config.get(booksPriceChangeThreshold) * 1_000_000)
    const due = moves.due((token) => shard.book(token)?.quote(), threshold, now)
    if (due.moves.length + due.first.length === 0) return
    yield* baselines.announce(lease, due.moves, due.first)
    moves.confirm(due, yield* Clock.currentTimeMillis)
    yield* countAnnounced(due.moves.length)
  }).pipe(
    Effect.catchTags({
      SqlError: (error) => Effect.logDebug(describe(error)),
      Saturated: (error) => Effect.logDebug(error.message),
      // The commit may have succeeded: read the baselines again.
      CommitUnknown: (error) =>
        Effect.suspend(() => {
          moves.clearBaselines()
          return Effect.logDebug(error.message)
        }),
    }),
  )
  return yield* Effect.forever(Effect.andThen(once, Effect.sleep("250 millis")))
})
