import { Deferred, Effect, Semaphore } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { ticksSegmentMemory } from "../settings.ts"
import type { Segment, Version } from "./Segment.ts"
import { SegmentCache } from "./SegmentCache.ts"
import { type Feed, loadSegments } from "./segmentSql.ts"

/** Queries for segments at a time: more would only wait for the same disk and cores. */
const mostLoads = 2

const stretchKey = ({ coin, sources }: Feed, stretch: number) => `${coin} ${sources.join("+")} ${stretch}`
const segmentKey = (feed: Feed, stretch: number, { table, revision }: Version) =>
  `${stretchKey(feed, stretch)} ${table} ${revision}`

/** A stretch in the state that somebody saw it in. */
export interface SegmentRef {
  readonly index: number
  readonly version: Version
}

/**
 * Segments in memory, and from Postgres where they are not, each loaded once however many want it.
 *
 * What is kept is kept by version. A version that was replaced stays until it is the least recently used, for somebody
 * may still be reading it slowly: readers hold on to nothing themselves, so the cache bounds what all of them take.
 */
export const makeSegments = Effect.gen(function* () {
  const { exports } = yield* Postgres
  const config = yield* Configuration
  const scope = yield* Effect.scope
  const cache = new SegmentCache(() => config.get(ticksSegmentMemory) * 2 ** 20)
  const permits = yield* Semaphore.make(mostLoads)
  const loading = new Map<string, Deferred.Deferred<Segment, SqlError>>()

  const cached = (feed: Feed, { index: stretch, version }: SegmentRef) => cache.get(segmentKey(feed, stretch, version))

  /** Goes on when the one who asked first goes away: others may be waiting for it. */
  const start = (feed: Feed, stretches: ReadonlyArray<number>, table: number) =>
    Effect.suspend(() => {
      const begun = stretches.map((stretch) => [stretch, Deferred.makeUnsafe<Segment, SqlError>()] as const)
      for (const [stretch, deferred] of begun) loading.set(stretchKey(feed, stretch), deferred)
      return loadSegments(exports, feed, stretches, table).pipe(
        Effect.tap((segments) =>
          Effect.sync(() => {
            for (const [stretch, segment] of segments) cache.set(segmentKey(feed, stretch, segment.version), segment)
          }),
        ),
        Effect.onExit((exit) =>
          Effect.sync(() => {
            for (const [stretch, deferred] of begun) {
              loading.delete(stretchKey(feed, stretch))
              Deferred.doneUnsafe(
                deferred,
                Effect.map(exit, (segments) => segments.get(stretch) as Segment),
              )
            }
          }),
        ),
        Effect.forkIn(scope, { startImmediately: true }),
        Effect.andThen(
          Effect.forEach(begun, ([stretch, deferred]) =>
            Effect.map(Deferred.await(deferred), (segment) => [stretch, segment] as const),
          ),
        ),
      )
    })

  /** One after the other, those that somebody else is loading; nothing for what is not good enough. */
  const joined = (feed: Feed, wanted: ReadonlyArray<SegmentRef>) =>
    Effect.forEach(wanted, ({ index: stretch, version }) => {
      const deferred = loading.get(stretchKey(feed, stretch))
      if (deferred === undefined) return Effect.succeed([])
      return Effect.map(Deferred.await(deferred), (segment) =>
        segment.version.table === version.table && segment.version.revision >= version.revision
          ? [[stretch, segment] as const]
          : [],
      )
    })

  /** Stretches of one table without a gap between them, each in the state that was seen or a later one. */
  const load = (
    feed: Feed,
    wanted: ReadonlyArray<SegmentRef>,
  ): Effect.Effect<ReadonlyMap<number, Segment>, SqlError> =>
    Effect.gen(function* () {
      const found = new Map((yield* joined(feed, wanted)).flat())
      const rest = wanted.filter(({ index: stretch }) => !found.has(stretch))
      if (rest.length === 0) return found
      const own = yield* permits.withPermit(
        Effect.suspend(() => {
          const still = rest.filter((each) => {
            const segment = cached(feed, each)
            if (segment !== undefined) found.set(each.index, segment)
            return segment === undefined
          })
          const [first, last] = [still[0], still.at(-1)]
          if (first === undefined || last === undefined) return Effect.succeed([])
          const all = Array.from({ length: last.index - first.index + 1 }, (_, i) => first.index + i)
          const isBegun = all.some((stretch) => loading.has(stretchKey(feed, stretch)))
          return isBegun ? Effect.succeed(undefined) : start(feed, all, first.version.table)
        }),
      )
      // While we waited for our turn somebody else has begun.
      const loaded =
        own ??
        (yield* load(
          feed,
          rest.filter(({ index: stretch }) => !found.has(stretch)),
        ))
      for (const [stretch, segment] of loaded) found.set(stretch, segment)
      return found
    })

  return { cached, load, bytes: () => cache.bytes }
})

export type Segments = Effect.Success<typeof makeSegments>
