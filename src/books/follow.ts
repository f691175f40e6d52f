import { Clock, Effect, FiberMap } from "effect"
import type { Lease } from "#src/mesh/Lease.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { BookCache } from "./BookCache.ts"
import type { BookShard, FeedConnection } from "./BookShard.ts"
import { BooksStore } from "./BooksStore.ts"
import { countUnknown } from "./metrics.ts"
import type { PriceMoves } from "./PriceMoves.ts"

/** Listens on the connections of a shard and makes, changes and ends them as other tokens are wanted. */
export const follow = Effect.fnUntraced(function* (number: number, lease: Lease, shard: BookShard, moves: PriceMoves) {
  const cache = yield* BookCache
  const store = yield* BooksStore
  const { clobSocket } = yield* Endpoints
  const running = yield* FiberMap.make<FeedConnection>()

  const listen = (connection: FeedConnection) =>
    connection.feed.run(clobSocket, {
      opened: Effect.map(Clock.currentTimeMillis, (now) => shard.opened(connection, now)),
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

  // Remembered here as well: when Redis forgets it, no book is left before somebody can say again that it is wanted.
  const wanted = new Map<string, number>()
  const once = Effect.gen(function* () {
    for (const [token, until] of yield* cache.wanted(number)) wanted.set(token, until)
    const now = yield* Clock.currentTimeMillis
    for (const [token, until] of wanted) if (until <= now) wanted.delete(token)
    const { added, removed, left } = shard.follow(new Set(wanted.keys()), now)
    for (const connection of removed) yield* FiberMap.remove(running, connection)
    for (const connection of added) yield* FiberMap.run(running, connection, listen(connection))
    if (left.length === 0) return
    for (const token of left) moves.forget(token)
    yield* store.forget(lease, left)
  }).pipe(
    // Without Redis nobody knows what is wanted, so that nothing changes; rows that stay do no harm.
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
