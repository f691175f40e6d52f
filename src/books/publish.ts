import { Clock, Effect } from "effect"
import type { Lease } from "#src/mesh/Lease.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { BookCache } from "./BookCache.ts"
import type { BookShard } from "./BookShard.ts"
import { BooksStore } from "./BooksStore.ts"
import { countAnnounced } from "./metrics.ts"
import { Publication } from "./Publication.ts"
import type { PriceMoves } from "./PriceMoves.ts"
import { booksPriceChangeThreshold } from "./settings.ts"

const booksPerCall = 200
const heartbeatMillis = 1_000

/** Shows the books as they change to whoever reads them elsewhere, and that the shard lives. */
export const publishBooks = Effect.fnUntraced(function* (number: number, lease: Lease, shard: BookShard, moves: PriceMoves) {
  const cache = yield* BookCache
  const publication = new Publication(lease.epoch)
  let publishedAt = 0
  let published = 0

  const once = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const changed = [...shard.takeChanged()]
    if (changed.length === 0 && now - publishedAt < heartbeatMillis) return
    for (const token of changed) moves.changed(token)
    yield* Effect.gen(function* () {
      for (let from = 0; from === 0 || from < changed.length; from += booksPerCall) {
        const tokens = changed.slice(from, from + booksPerCall)
        const books = tokens.map((token) => publication.next(token, shard.book(token)))
        const isFresh = yield* cache.publish(number, { epoch: lease.epoch, number: ++published, books })
        publication.settle(books)
        if (!isFresh) continue
        // Redis had nothing of this shard, or has lost it: everything is shown again.
        publication.markAllUncertain()
        shard.markChanged(shard.tokens)
      }
      publishedAt = now
    }).pipe(
      Effect.catchTag("RedisFailure", (error) => {
        publication.doubt(changed)
        shard.markChanged(changed)
        return Effect.logDebug(error.message)
      }),
    )
  })
  return yield* Effect.forever(Effect.andThen(once, Effect.sleep("100 millis")))
})

/** Announces prices that have moved. */
export const announcePriceMoves = Effect.fnUntraced(function* (lease: Lease, shard: BookShard, moves: PriceMoves) {
  const store = yield* BooksStore
  const config = yield* Configuration

  const once = Effect.gen(function* () {
    const unknown = moves.unknown()
    if (unknown.length > 0) moves.recall(yield* store.baselines(unknown))
    const now = yield* Clock.currentTimeMillis
    const threshold = Math.round(config.get(booksPriceChangeThreshold) * 1_000_000)
    const due = moves.due((token) => shard.book(token)?.quote(), threshold, now)
    if (due.moves.length + due.first.length === 0) return
    yield* store.announcePriceMoves(lease, due.moves, due.first)
    moves.settle(due, yield* Clock.currentTimeMillis)
    yield* countAnnounced(due.moves.length)
  }).pipe(
    Effect.catchTags({
      SqlError: (error) => Effect.logDebug(describe(error)),
      Saturated: (error) => Effect.logDebug(error.message),
      // It may have happened: what to measure from is read again.
      CommitUnknown: (error) =>
        Effect.suspend(() => {
          moves.markUncertain()
          return Effect.logDebug(error.message)
        }),
    }),
  )
  return yield* Effect.forever(Effect.andThen(once, Effect.sleep("250 millis")))
})
