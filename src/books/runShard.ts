import { Clock, Effect, FiberMap } from "effect"
import type { Lease } from "#src/mesh/Lease.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { Baselines } from "./Baselines.ts"
import { BookCache } from "./BookCache.ts"
import { BookShard, type FeedConnection } from "./BookShard.ts"
import { countResyncs, countUnknown, updateShardMetrics } from "./metrics.ts"
import { PriceMoves } from "./PriceMoves.ts"
import { announcePriceMoves, publishBooks } from "./publish.ts"
import { recordBooks } from "./recordBooks.ts"
import { booksAudit } from "./settings.ts"
import { TradedBooks } from "./TradedBooks.ts"

/** Runs the connections of a shard, and opens and closes them as the requested tokens change. */
const follow = Effect.fnUntraced(function* (number: number, lease: Lease, shard: BookShard, moves: PriceMoves) {
  const cache = yield* BookCache
  const baselines = yield* Baselines
  const { clobSocket } = yield* Endpoints
  const running = yield* FiberMap.make<FeedConnection>()

  const run = (connection: FeedConnection) =>
    connection.feed.run(clobSocket, {
      opened: Effect.map(Clock.currentTimeMillis, (now) => shard.opened(connection, now)),
      heard: Effect.map(Clock.currentTimeMillis, (now) => shard.heard(connection, now)),
      received: (frame) =>
        Effect.andThen(
          Effect.map(Clock.currentTimeMillis, (now) => shard.received(connection, frame, now)),
          countUnknown(frame.unknown),
        ),
      closed: (failure) =>
        Effect.andThen(
          Effect.sync(() => shard.closed(connection)),
          Effect.logDebug(failure.message),
        ),
    })

  // Also kept here: if Redis loses its data, books stay followed until they are requested again.
  const requested = new Map<string, number>()
  const once = Effect.gen(function* () {
    for (const [token, until] of yield* cache.requested(number)) requested.set(token, until)
    const now = yield* Clock.currentTimeMillis
    for (const [token, until] of requested) if (until <= now) requested.delete(token)
    const { added, removed, unfollowed } = shard.follow(new Set(requested.keys()), now)
    for (const connection of removed) yield* FiberMap.remove(running, connection)
    for (const connection of added) yield* FiberMap.run(running, connection, run(connection))
    if (unfollowed.length === 0) return
    for (const token of unfollowed) moves.remove(token)
    yield* baselines.delete(lease, unfollowed)
  }).pipe(
    // Without Redis the requested tokens stay the same; baselines that are not deleted do no harm.
    Effect.catchTags({
      RedisFailure: (error) => Effect.logDebug(error.message),
      SqlError: (error) => Effect.logDebug(describe(error)),
      CommitUnknown: (error) => Effect.logDebug(error.message),
      Saturated: (error) => Effect.logDebug(error.message),
    }),
  )
  const forever = Effect.forever(Effect.andThen(once, Effect.sleep("500 millis")))
  return yield* Effect.raceFirst(forever, FiberMap.join(running))
})

/** Reads invalid books again from the venue, all with one request, at most ten times a second, and once while that fails. */
const resync = Effect.fnUntraced(function* (shard: BookShard) {
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
        const warning = Effect.logWarning(`failed to resync ${requests.length} order books: ${failure.message}`)
        return Effect.andThen(warning, Effect.sleep("1 second"))
      }),
    )
  })
  return yield* Effect.forever(Effect.andThen(once, Effect.sleep("100 millis")))
})

/**
 * Compares the books with the venue's. A lost change of a deep level leaves no other trace, and a silent connection looks
 * like one whose books do not change.
 */
const audit = Effect.fnUntraced(function* (shard: BookShard) {
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
      if (isSilent) connection.feed.reconnect("books changed without a message")
    }
  }).pipe(Effect.catch((failure) => Effect.logDebug(failure.message)))
  return yield* Effect.forever(
    Effect.andThen(
      Effect.suspend(() => Effect.sleep(config.get(booksAudit))),
      once,
    ),
  )
})

const measure = Effect.fnUntraced(function* (number: number, shard: BookShard) {
  let counted = 0
  const once = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const age = Math.max(0, ...[...shard.connections].map(({ receivedAt }) => now - receivedAt))
    yield* updateShardMetrics(number, shard.held, age, shard.deltas - counted)
    counted = shard.deltas
  })
  return yield* Effect.forever(Effect.andThen(once, Effect.sleep("1 second")))
})

/** Follows the books of one shard until interrupted. */
export const runShard = (number: number, lease: Lease) =>
  Effect.suspend(() => {
    const shard = new BookShard()
    const moves = new PriceMoves()
    const traded = new TradedBooks()
    return Effect.all(
      [
        follow(number, lease, shard, moves),
        resync(shard),
        audit(shard),
        publishBooks(number, lease, shard, moves, traded),
        recordBooks(lease, traded),
        announcePriceMoves(lease, shard, moves),
        measure(number, shard),
      ],
      { concurrency: "unbounded", discard: true },
    )
  }).pipe(Effect.scoped, Effect.ensuring(updateShardMetrics(number, 0, 0, 0)))
