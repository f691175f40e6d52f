import { Deferred, Effect, FiberSet } from "effect"
import { LRUCache } from "lru-cache"
import type { Snapshot } from "./BoardQuery.ts"

/**
 * Caches the boards of one version until there is another, within a number of rows, least recently used out first.
 * Concurrent requests share one read, which continues when one of them leaves. Once a version has been served, no earlier
 * one is served for any board.
 */
export const makeSnapshots = Effect.fnUntraced(function* <Rows extends { readonly length: number }, E>(
  maxRows: number,
) {
  const run = yield* FiberSet.makeRuntime<never>()
  const cache = new LRUCache<string, Snapshot<Rows>>({
    maxSize: maxRows,
    // An empty board also counts.
    sizeCalculation: ({ rows }) => 1 + rows.length,
  })
  const pending = new Map<string, Deferred.Deferred<Snapshot<Rows>, E>>()
  let newestSeen = 0

  const keep = (key: string, snapshot: Snapshot<Rows>) => {
    cache.set(key, snapshot)
    newestSeen = Math.max(newestSeen, snapshot.version)
  }

  const read = (key: string, load: Effect.Effect<Snapshot<Rows>, E>) => {
    const running = pending.get(key)
    if (running !== undefined) return running
    const result = Deferred.makeUnsafe<Snapshot<Rows>, E>()
    pending.set(key, result)
    run(
      Effect.onExit(load, (exit) =>
        Effect.sync(() => {
          pending.delete(key)
          if (exit._tag === "Success") keep(key, exit.value)
          Deferred.doneUnsafe(result, exit)
        }),
      ).pipe(Effect.exit),
    )
    return result
  }

  return (key: string, newest: number, load: Effect.Effect<Snapshot<Rows>, E>): Effect.Effect<Snapshot<Rows>, E> =>
    Effect.suspend(() => {
      const found = cache.get(key)
      return found === undefined || found.version < Math.max(newest, newestSeen)
        ? Deferred.await(read(key, load))
        : Effect.succeed(found)
    })
})
