import { Clock, Context, Deferred, Duration, Effect, Layer } from "effect"
import { Configuration } from "../config/Configuration.ts"
import * as settings from "../config/settings.ts"
import { Health } from "../telemetry/Health.ts"

/** The shared deadline of a shutdown: everything that drains gets the same grace period. */
export class Shutdown extends Context.Service<
  Shutdown,
  {
    readonly begin: Effect.Effect<void>
    /** Completes when the shutdown begins. */
    readonly begun: Effect.Effect<void>
    /** The rest of the grace period; all of it before the shutdown begins. */
    readonly remaining: Effect.Effect<Duration.Duration>
  }
>()("presage/platform/Shutdown") {
  static readonly layer = Layer.effect(
    Shutdown,
    Effect.gen(function* () {
      const config = yield* Configuration
      const health = yield* Health
      const started = yield* Deferred.make<number>()
      const grace = Effect.sync(() => config.get(settings.shutdownGrace))
      return Shutdown.of({
        begin: Effect.gen(function* () {
          yield* health.drain
          yield* Deferred.succeed(started, yield* Clock.currentTimeMillis)
        }),
        begun: Effect.asVoid(Deferred.await(started)),
        remaining: Effect.gen(function* () {
          if (!(yield* Deferred.isDone(started))) return yield* grace
          const end = (yield* Deferred.await(started)) + Duration.toMillis(yield* grace)
          return Duration.millis(Math.max(0, end - (yield* Clock.currentTimeMillis)))
        }),
      })
    }),
  )
}
