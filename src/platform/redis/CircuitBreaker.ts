import { Effect, Schedule } from "effect"

const probeInterval = "250 millis"

export interface CircuitBreaker {
  /** Why the circuit is open; undefined while Redis is available. */
  readonly reason: () => string | undefined
  /** Increases with every recovery. A failure of a call sent in an earlier generation does not trip the breaker. */
  readonly generation: () => number
  readonly trip: (reason: string) => void
  /** Undefined while the circuit is open, and when this call trips it. */
  readonly attempt: <A>(work: Effect.Effect<A, { readonly message: string }>) => Effect.Effect<A | undefined>
}

/**
 * Circuit breaker: after a failure, callers skip Redis until a probe succeeds. Without it every caller would wait up to a
 * second for a Redis that does not answer.
 */
export const makeCircuitBreaker = Effect.fnUntraced(function* (options: {
  readonly probe: Effect.Effect<void, { readonly message: string }>
  readonly onChange: (isUnavailable: boolean) => void
  /** Log lines: the consequence of the outage, and of the recovery. */
  readonly messages: { readonly unavailable: string; readonly recovered: string }
}) {
  const scope = yield* Effect.scope
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  let reason: string | undefined
  let generation = 0

  const close = Effect.sync(() => {
    reason = undefined
    generation += 1
    options.onChange(false)
  })

  const probeUntilRecovered = options.probe.pipe(
    Effect.delay(probeInterval),
    Effect.retry(Schedule.forever),
    Effect.andThen(close),
    Effect.andThen(Effect.logInfo(options.messages.recovered)),
  )

  const trip = (why: string) => {
    if (reason !== undefined) return
    reason = why
    options.onChange(true)
    fork(
      Effect.logWarning(`${options.messages.unavailable} until Redis is back: ${why}`).pipe(
        Effect.andThen(probeUntilRecovered),
        Effect.forkIn(scope),
      ),
    )
  }

  const breaker: CircuitBreaker = {
    reason: () => reason,
    generation: () => generation,
    trip,
    attempt: <A>(work: Effect.Effect<A, { readonly message: string }>) =>
      Effect.suspend((): Effect.Effect<A | undefined> => {
        if (reason !== undefined) return Effect.undefined
        const sentIn = generation
        return Effect.catch(work, (failure) =>
          Effect.sync(() => {
            if (sentIn === generation) trip(failure.message)
            return undefined
          }),
        )
      }),
  }
  return breaker
})
