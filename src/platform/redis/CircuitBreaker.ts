import { Effect, Schedule } from "effect"

const probeEvery = "250 millis"

export interface CircuitBreaker {
  /** Why Redis is thought to be away; undefined while it is not. */
  readonly reason: () => string | undefined
  /** Which connected time it is: a call that was sent in an earlier one says nothing about now. */
  readonly generation: () => number
  readonly trip: (reason: string) => void
  /** What Redis answers; undefined while it is away, and when this finds out that it is. */
  readonly attempt: <A>(work: Effect.Effect<A, { readonly message: string }>) => Effect.Effect<A | undefined>
}

/**
 * Knows whether Redis is away: from a failure on, until a probe succeeds. Meanwhile nobody waits for it, as it may take
 * a second to give no answer.
 */
export const makeCircuitBreaker = Effect.fnUntraced(function* (options: {
  readonly probe: Effect.Effect<void, { readonly message: string }>
  readonly onChange: (isAway: boolean) => void
  /** What it means that Redis is away, and that it is back, for the log. */
  readonly told: { readonly away: string; readonly back: string }
}) {
  const scope = yield* Effect.scope
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  let reason: string | undefined
  let period = 0

  const over = Effect.sync(() => {
    reason = undefined
    period += 1
    options.onChange(false)
  })

  const waitForEnd = options.probe.pipe(
    Effect.delay(probeEvery),
    Effect.retry(Schedule.forever),
    Effect.andThen(over),
    Effect.andThen(Effect.logInfo(options.told.back)),
  )

  const began = (why: string) => {
    if (reason !== undefined) return
    reason = why
    options.onChange(true)
    fork(
      Effect.logWarning(`${options.told.away} until Redis is back: ${why}`).pipe(
        Effect.andThen(waitForEnd),
        Effect.forkIn(scope),
      ),
    )
  }

  const outage: CircuitBreaker = {
    reason: () => reason,
    generation: () => period,
    trip: began,
    attempt: <A>(work: Effect.Effect<A, { readonly message: string }>) =>
      Effect.suspend((): Effect.Effect<A | undefined> => {
        if (reason !== undefined) return Effect.undefined
        const sentIn = period
        return Effect.catch(work, (failure) =>
          Effect.sync(() => {
            if (sentIn === period) began(failure.message)
            return undefined
          }),
        )
      }),
  }
  return outage
})
