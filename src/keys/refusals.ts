import type { Standing } from "#src/limits/model.ts"
import type { ErrorBody, RefusedAnswer } from "#src/platform/http/errorBody.ts"

const noKeyText = "Missing or invalid API key. Use x-api-key header or ?key= param."
const inactiveKeyText = "Invalid or inactive API key."

const howToGetOne = "POST /v1/keys gives a free key."

export const answerOf = (status: number, body: ErrorBody, headers: Readonly<Record<string, string>> = {}) =>
  ({ status, body, headers }) satisfies RefusedAnswer

export const missingKey = () => answerOf(401, { error: noKeyText, hint: `No key was given. ${howToGetOne}` })

export const severalKeys = () =>
  answerOf(401, { error: noKeyText, hint: "Different keys were given in several places: send one." })

/** The same for a key that is mistyped and one that never was. */
export const unknownKey = () => answerOf(401, { error: noKeyText, hint: `This key is not known. ${howToGetOne}` })

export const inactiveKey = () =>
  answerOf(403, { error: inactiveKeyText, hint: "It was revoked, or its account is not active." })

export const retryAfter = (resetAt: number, nowMillis: number) => ({
  "retry-after": String(Math.max(1, Math.ceil(resetAt - nowMillis / 1000))),
})

/** Too many requests from one address that brought no good key. */
export const tooManyStrangers = ({ resetAt }: Standing, nowMillis: number) =>
  answerOf(
    429,
    {
      error: `Too many requests without a valid API key from this address. Retry after ${resetAt}.`,
      scope: "address",
      reset_at: resetAt,
    },
    retryAfter(resetAt, nowMillis),
  )

export const storeAwayBody = {
  error: "A store does not answer at the moment.",
  hint: "Try again in a few seconds.",
} as const

export const storeAway = () => answerOf(503, { ...storeAwayBody }, { "retry-after": "2" })
