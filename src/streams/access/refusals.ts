import { answerOf, retryAfter } from "#src/keys/refusals.ts"

/** The free plan's time of today is used up. */
export const sessionOver = (secondsPerDay: number, resetAtMillis: number, nowMillis: number) => {
  const resetAt = Math.ceil(resetAtMillis / 1000)
  return answerOf(
    429,
    {
      error: `The ${secondsPerDay / 60} minutes a day of this plan are used up. Retry after ${resetAt}.`,
      scope: "ws_session",
      limit: secondsPerDay,
      reset_at: resetAt,
    },
    retryAfter(resetAt, nowMillis),
  )
}

/** More connections at once than the gateway wants. */
export const tooManyAtOnce = (retryAfterMillis: number) =>
  answerOf(
    503,
    {
      error: "Too many connect at the same time.",
      hint: "Connect again after retry_after_ms.",
      retry_after_ms: retryAfterMillis,
    },
    { "retry-after": String(Math.ceil(retryAfterMillis / 1000)) },
  )
