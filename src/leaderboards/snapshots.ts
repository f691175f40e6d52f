import { Deferred, Effect, FiberSet } from "effect"
import type { Snapshot } from "./BoardQuery.ts"

/**
 * Caches the boards of one version until there is another, within a number of rows, least recently used out first.
 * Concurrent requests share one read, which continues when one of them leaves. Once a version has been served, no earlier
 * one is served for any board.
 */
export const makeSnapshots = Effect.fnUntraced(function* <Rows extends { readonly length: number }, E>(
  mostRows: number,
) {
  const run = yield* FiberSet.makeRuntime<never>()
  /** In the order of last use. */
  const held = new Map<string, Snapshot<Rows>>()
  const flights = new Map<string, Deferred.Deferred<Snapshot<Rows>, E>>()
  let rows = 0
  let newestSeen = 0

  const forget = (key: string) => {
    // An empty board takes room as well.
    rows -= 1 + (held.get(key)?.rows.length ?? -1)
    held.delete(key)
  }
  const keep = (key: string, snapshot: Snapshot<Rows>) => {
    forget(key)
    held.set(key, snapshot)
    rows += 1 + snapshot.rows.length
    newestSeen = Math.max(newestSeen, snapshot.version)
    for (const oldest of held.keys()) {
      if (rows <= mostRows) return
      forget(oldest)
    }
  }

  const read = (key: string, load: Effect.Effect<Snapshot<Rows>, E>) => {
    const running = flights.get(key)
    if (running !== undefined) return running
    const flight = Deferred.makeUnsafe<Snapshot<Rows>, E>()
    flights.set(key, flight)
    run(
      Effect.onExit(load, (exit) =>
        Effect.sync(() => {
          flights.delete(key)
          if (exit._tag === "Success") keep(key, exit.value)
          Deferred.doneUnsafe(flight, exit)
        }),
      ).pipe(Effect.exit),
    )
    return flight
  }

  return (key: string, newest: number, load: Effect.Effect<Snapshot<Rows>, E>): Effect.Effect<Snapshot<Rows>, E> =>
    Effect.suspend(() => {
      const found = held.get(key)
      if (found === undefined || found.version < Math.max(newest, newestSeen)) {
        return Deferred.await(read(key, load))
      }
      held.delete(key)
      held.set(key, found)
      return Effect.succeed(found)
    })
})
