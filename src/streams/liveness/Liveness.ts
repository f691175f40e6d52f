import { Cause, Clock, Context, Duration, Effect, Latch, Layer, type Scope } from "effect"
import { coins, type TickSource, tickSources } from "#src/domain/Tick.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { abandonAfter } from "#src/platform/process/deadline.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import type { SourceStatus } from "#src/status/model.ts"
import { Status } from "#src/status/Status.ts"
import { TickFeed } from "#src/ticks/TickFeed.ts"
import { staleBounds } from "../settings.ts"
import { livenessOf, type SourceLiveness } from "./sourceLiveness.ts"

const readEvery = "2 seconds"
const evaluateEvery = "1 second"
/** A frozen store never answers. */
const readTimeout = "5 seconds"

const isTickSource = (name: string): name is TickSource => tickSources.some((source) => source === name)

const bounds: Readonly<Record<string, typeof staleBounds.others>> = staleBounds

interface Reading {
  readonly at: bigint
  readonly sources: ReadonlyMap<string, SourceStatus>
}

/** Ages of the sources that the streams depend on, so that clients can tell an outage from a quiet market. */
export class Liveness extends Context.Service<
  Liveness,
  {
    /** Current ages of these sources, as sent in heartbeats. */
    readonly ages: (
      names: ReadonlyArray<string>,
    ) => Readonly<Record<string, { readonly age_ms: number | null; readonly stale: boolean }>>
    /** The stale ones among these sources, for a client that connected after the change. */
    readonly staleSources: (names: ReadonlyArray<string>) => ReadonlyArray<SourceLiveness>
    /** Calls back once for every source that becomes stale or fresh, including sources stale at the start, until the scope closes. */
    readonly listen: (onChange: (change: SourceLiveness) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("presage/streams/liveness/Liveness") {
  static readonly layer = Layer.effect(
    Liveness,
    Effect.gen(function* () {
      const status = yield* Status
      const config = yield* Configuration
      const ticks = yield* TickFeed
      const clock = yield* Clock.Clock
      const listeners = new Set<(change: SourceLiveness) => void>()
      const isWatched = yield* Latch.make()
      let reading: Reading | undefined
      let failure: string | undefined
      const reported = new Map<string, boolean>()

      const boundOf = (name: string) =>
        Duration.toMillis(config.get(isTickSource(name) ? staleBounds.ticks : (bounds[name] ?? staleBounds.others)))

      /** Age of the oldest feed; undefined when the stores know more feeds than this process. */
      const ownAge = (name: string): number | undefined => {
        if (!isTickSource(name)) return undefined
        const times = coins.flatMap((coin) => ticks.memory(name, coin).newest?.at ?? [])
        const feeds = Number(reading?.sources.get(name)?.details["feeds"] ?? 0)
        if (times.length === 0 || times.length < feeds) return undefined
        return Math.max(0, clock.currentTimeMillisUnsafe() - Math.min(...times))
      }

      const liveness = (name: string): SourceLiveness =>
        livenessOf({
          source: name,
          boundMillis: boundOf(name),
          status: reading?.sources.get(name),
          readMillisAgo: reading === undefined ? 0 : Number(clock.monotonicTimeNanosUnsafe() - reading.at) / 1_000_000,
          failure,
          ownAgeMillis: ownAge(name),
        })

      const evaluate = Effect.sync(() => {
        for (const name of reading?.sources.keys() ?? []) {
          const now = liveness(name)
          if (now.isStale === (reported.get(name) ?? false)) continue
          reported.set(name, now.isStale)
          for (const onChange of listeners) onChange(now)
        }
      })

      const readStatus = abandonAfter(status.sources, readTimeout, () => new Error("the stores do not answer")).pipe(
        // An interruption too: it must not end the readings.
        Effect.matchCause({
          onSuccess: ({ sources }) => {
            const at = clock.monotonicTimeNanosUnsafe()
            reading = { at, sources: new Map(sources.map((each) => [each.source, each])) }
            failure = undefined
          },
          onFailure: (cause) => {
            failure = describe(Cause.squash(cause))
          },
        }),
        Effect.andThen(evaluate),
      )

      const whileWatched = (work: Effect.Effect<void>, every: Duration.Input) =>
        Effect.forkScoped(
          Effect.forever(isWatched.await.pipe(Effect.andThen(work), Effect.andThen(Effect.sleep(every)))),
        )
      yield* whileWatched(readStatus, readEvery)
      yield* whileWatched(evaluate, evaluateEvery)

      return Liveness.of({
        ages: (names) =>
          Object.fromEntries(
            names.map((name) => {
              const { ageMillis, isStale } = liveness(name)
              return [name, { age_ms: ageMillis, stale: isStale }]
            }),
          ),
        staleSources: (names) => names.map(liveness).filter(({ isStale }) => isStale),
        listen: (onChange) =>
          Effect.acquireRelease(
            Effect.sync(() => {
              if (listeners.size === 0) {
                // State from before the pause is outdated.
                reading = undefined
                reported.clear()
              }
              listeners.add(onChange)
            }).pipe(Effect.andThen(isWatched.open)),
            () =>
              Effect.suspend(() => {
                listeners.delete(onChange)
                return listeners.size === 0 ? isWatched.close : Effect.void
              }),
          ),
      })
    }),
  )
}
