import { Deferred, Effect, Semaphore } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { ticksSegmentMemory } from "../settings.ts"
import type { Segment, Version } from "./Segment.ts"
import { SegmentCache } from "./SegmentCache.ts"
import { type Feed, loadSegments } from "./segmentSql.ts"

/** Up to this many segments are a short read, such as the ends of a range, which delay the first byte of an answer. */
const mostShort = 2

/** Concurrent segment queries: more would only compete for the same disk and cores. */
const maxLoads = 2

const loadKey = ({ coin, sources }: Feed, index: number) => `${coin} ${sources.join("+")} ${index}`
const cacheKey = (feed: Feed, index: number, { table, revision }: Version) =>
  `${loadKey(feed, index)} ${table} ${revision}`

/** A segment in the version that a request saw. */
export interface SegmentRef {
  readonly index: number
  readonly version: Version
}

/**
 * Segments from the cache or else from Postgres, each loaded once for all concurrent requests.
 *
 * Entries are cached by version. A replaced version stays until evicted, because slow readers may still need it: readers
 * hold no segments themselves, so the cache bounds their total memory.
 */
export const makeSegments = Effect.gen(function* () {
  const { reads, exports } = yield* Postgres
  const config = yield* Configuration
  const scope = yield* Effect.scope
  const cache = new SegmentCache(() => config.get(ticksSegmentMemory) * 2 ** 20)
  const permits = yield* Semaphore.make(maxLoads)
  const loading = new Map<string, Deferred.Deferred<Segment, SqlError>>()

  const cached = (feed: Feed, { index, version }: SegmentRef) => cache.get(cacheKey(feed, index, version))

  /** Continues when the first caller is interrupted: others may be waiting. */
  const start = (feed: Feed, indexes: ReadonlyArray<number>, table: number) =>
    Effect.suspend(() => {
      const started = indexes.map((index) => [index, Deferred.makeUnsafe<Segment, SqlError>()] as const)
      for (const [index, deferred] of started) loading.set(loadKey(feed, index), deferred)
      return loadSegments(indexes.length <= mostShort ? reads : exports, feed, indexes, table).pipe(
        Effect.tap((segments) =>
          Effect.sync(() => {
            for (const [index, segment] of segments) cache.set(cacheKey(feed, index, segment.version), segment)
          }),
        ),
        Effect.onExit((exit) =>
          Effect.sync(() => {
            for (const [index, deferred] of started) {
              loading.delete(loadKey(feed, index))
              Deferred.doneUnsafe(
                deferred,
                Effect.map(exit, (segments) => segments.get(index) as Segment),
              )
            }
          }),
        ),
        Effect.forkIn(scope, { startImmediately: true }),
        Effect.andThen(
          Effect.forEach(started, ([index, deferred]) =>
            Effect.map(Deferred.await(deferred), (segment) => [index, segment] as const),
          ),
        ),
      )
    })

  /** Waits for segments that other requests are loading; skips those older than the required version. */
  const join = (feed: Feed, refs: ReadonlyArray<SegmentRef>) =>
    Effect.forEach(refs, ({ index, version }) => {
      const deferred = loading.get(loadKey(feed, index))
      if (deferred === undefined) return Effect.succeed([])
      return Effect.map(Deferred.await(deferred), (segment) =>
        segment.version.table === version.table && segment.version.revision >= version.revision
          ? [[index, segment] as const]
          : [],
      )
    })

  /** Loads consecutive segments of one table, each in the given version or a later one. */
  const load = (feed: Feed, refs: ReadonlyArray<SegmentRef>): Effect.Effect<ReadonlyMap<number, Segment>, SqlError> =>
    Effect.gen(function* () {
      const found = new Map((yield* join(feed, refs)).flat())
      const remaining = refs.filter(({ index }) => !found.has(index))
      if (remaining.length === 0) return found
      const own = yield* permits.withPermit(
        Effect.suspend(() => {
          const uncached = remaining.filter((each) => {
            const segment = cached(feed, each)
            if (segment !== undefined) found.set(each.index, segment)
            return segment === undefined
          })
          const [first, last] = [uncached[0], uncached.at(-1)]
          if (first === undefined || last === undefined) return Effect.succeed([])
          const all = Array.from({ length: last.index - first.index + 1 }, (_, i) => first.index + i)
          const isLoading = all.some((index) => loading.has(loadKey(feed, index)))
          return isLoading ? Effect.succeed(undefined) : start(feed, all, first.version.table)
        }),
      )
      // Another request started loading them while this one waited for a permit.
      const loaded =
        own ??
        (yield* load(
          feed,
          remaining.filter(({ index }) => !found.has(index)),
        ))
      for (const [index, segment] of loaded) found.set(index, segment)
      return found
    })

  return { cached, load, bytes: () => cache.bytes }
})

export type Segments = Effect.Success<typeof makeSegments>
