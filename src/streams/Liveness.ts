import { Clock, Context, Duration, Effect, Latch, Layer, type Scope } from "effect"
import { coins, type TickSource, tickSources } from "#src/domain/Tick.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { abandonAfter } from "#src/platform/process/deadline.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import type { SourceStatus } from "#src/status/model.ts"
import { Status } from "#src/status/Status.ts"
import { TickFeed } from "#src/ticks/TickFeed.ts"
import { type Standing, standingOf } from "./liveness/standing.ts"
import { staleBounds } from "./settings.ts"

const lookEvery = "2 seconds"
const judgeEvery = "1 second"
/** Stores that are frozen give no answer at all. */
const patience = "5 seconds"

const isTickSource = (name: string): name is TickSource => tickSources.some((source) => source === name)

const bounds: Readonly<Record<string, typeof staleBounds.others>> = staleBounds

interface Look {
  readonly at: bigint
  readonly sources: ReadonlyMap<string, SourceStatus>
}

/** How old everything is that the streams depend on, so that silence can be told from nothing happening. */
export class Liveness extends Context.Service<
  Liveness,
  {
    /** How these sources stand now, as heartbeats say it. */
    readonly ages: (
      names: ReadonlyArray<string>,
    ) => Readonly<Record<string, { readonly age_ms: number | null; readonly stale: boolean }>>
    /** Those of them that are stale, for somebody who was not there when it was told. */
    readonly staleOnes: (names: ReadonlyArray<string>) => ReadonlyArray<Standing>
    /** Every source that becomes stale or fresh, once each time; those that are stale at first too. Until the scope ends. */
    readonly listen: (hear: (change: Standing) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("presage/streams/Liveness") {
  static readonly layer = Layer.effect(
    Liveness,
    Effect.gen(function* () {
      const status = yield* Status
      const config = yield* Configuration
      const ticks = yield* TickFeed
      const clock = yield* Clock.Clock
      const listeners = new Set<(change: Standing) => void>()
      const isWatched = yield* Latch.make()
      let look: Look | undefined
      let failure: string | undefined
      const told = new Map<string, boolean>()

      const boundOf = (name: string) =>
        Duration.toMillis(config.get(isTickSource(name) ? staleBounds.ticks : (bounds[name] ?? staleBounds.others)))

      /** Of the feed that is oldest; undefined when the stores know of more feeds than this process does. */
      const ownAge = (name: string): number | undefined => {
        if (!isTickSource(name)) return undefined
        const moments = coins.flatMap((coin) => ticks.memory(name, coin).newest?.at ?? [])
        const feeds = Number(look?.sources.get(name)?.details["feeds"] ?? 0)
        if (moments.length === 0 || moments.length < feeds) return undefined
        return Math.max(0, clock.currentTimeMillisUnsafe() - Math.min(...moments))
      }

      const standing = (name: string): Standing =>
        standingOf({
          source: name,
          boundMillis: boundOf(name),
          status: look?.sources.get(name),
          readMillisAgo: look === undefined ? 0 : Number(clock.monotonicTimeNanosUnsafe() - look.at) / 1_000_000,
          failure,
          ownAgeMillis: ownAge(name),
        })

      const judge = Effect.sync(() => {
        for (const name of look?.sources.keys() ?? []) {
          const now = standing(name)
          if (now.isStale === (told.get(name) ?? false)) continue
          told.set(name, now.isStale)
          for (const hear of listeners) hear(now)
        }
      })

      const seen = abandonAfter(status.sources, patience, () => new Error("the stores do not answer")).pipe(
        Effect.match({
          onSuccess: ({ sources }) => {
            const at = clock.monotonicTimeNanosUnsafe()
            look = { at, sources: new Map(sources.map((each) => [each.source, each])) }
            failure = undefined
          },
          onFailure: (error) => {
            failure = describe(error)
          },
        }),
        Effect.andThen(judge),
      )

      const whileWatched = (work: Effect.Effect<void>, every: Duration.Input) =>
        Effect.forkScoped(
          Effect.forever(isWatched.await.pipe(Effect.andThen(work), Effect.andThen(Effect.sleep(every)))),
        )
      yield* whileWatched(seen, lookEvery)
      yield* whileWatched(judge, judgeEvery)

      return Liveness.of({
        ages: (names) =>
          Object.fromEntries(
            names.map((name) => {
              const { ageMillis, isStale } = standing(name)
              return [name, { age_ms: ageMillis, stale: isStale }]
            }),
          ),
        staleOnes: (names) => names.map(standing).filter(({ isStale }) => isStale),
        listen: (hear) =>
          Effect.acquireRelease(
            Effect.sync(() => {
              if (listeners.size === 0) {
                // What was seen before nobody listened says nothing about now.
                look = undefined
                told.clear()
              }
              listeners.add(hear)
            }).pipe(Effect.andThen(isWatched.open)),
            () =>
              Effect.suspend(() => {
                listeners.delete(hear)
                return listeners.size === 0 ? isWatched.close : Effect.void
              }),
          ),
      })
    }),
  )
}
