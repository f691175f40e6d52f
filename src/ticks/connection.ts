import { Effect, Schedule, Stream } from "effect"
import type { TickSource } from "#src/domain/Tick.ts"
import { withImmediateScheduler } from "#src/platform/process/schedulers.ts"
import { reconnectDelay } from "#src/upstream/socket.ts"
import { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import type { Intake } from "./Intake.ts"

/** Messages alone do not prove that a connection works: they may be unreadable or wrong. */
const maxIdleNanos = 4_000_000_000n

/** Reconnects forever: immediately after a connection that delivered ticks, otherwise with a growing delay. */
export const keepConnected = <A>(
  source: TickSource,
  intake: Intake,
  connection: Stream.Stream<A, UpstreamFailure>,
  handle: (message: A) => Effect.Effect<void>,
  disconnected: Effect.Effect<void>,
) => {
  const watch = Effect.suspend(() =>
    intake.idleNanos() > maxIdleNanos
      ? new UpstreamFailure({ upstream: source, reason: "silent", detail: "no usable tick for 4 s" })
      : Effect.void,
  ).pipe(Effect.repeat(Schedule.spaced("250 millis")))

  /** A source that stays away, such as one that has ended, is not reported every few seconds. */
  let isReported = false

  const connectOnce = Effect.suspend(() => {
    const before = intake.onConnecting()
    return Effect.raceFirst(withImmediateScheduler(Stream.runForEach(connection, handle)), watch).pipe(
      Effect.catch((failure) =>
        Effect.gen(function* () {
          intake.metrics.disconnected(failure.reason)
          const isUseless = intake.accepted() === before
          const message = `${source}: connection lost: ${failure.message}`
          yield* isUseless && isReported ? Effect.logDebug(message) : Effect.logWarning(message)
          isReported = isUseless
          yield* disconnected
          if (isUseless) return yield* failure
        }),
      ),
    )
  })
  return Effect.forever(Effect.retry(connectOnce, reconnectDelay))
}
