import type { Plan } from "#src/domain/Plan.ts"
import type { NoFreeKey } from "#src/keys/model.ts"
import type { Standing } from "#src/limits/model.ts"
import type { QuotaStanding, QuotaUsedUp } from "#src/limits/Quota.ts"
import { errorResponse, storeAwayBody } from "../errors.ts"
import type { Rule } from "./Rule.ts"

const noKeyText = "Missing or invalid API key. Use x-api-key header or ?key= param."
const inactiveKeyText = "Invalid or inactive API key."

const howToGetOne = "POST /v1/keys gives a free key."

export const missingKey = () => errorResponse(401, { error: noKeyText, hint: `No key was given. ${howToGetOne}` })

export const severalKeys = () =>
  errorResponse(401, { error: noKeyText, hint: "Different keys were given in several places: send one." })

/** The same for a key that is mistyped and one that never was. */
export const unknownKey = () => errorResponse(401, { error: noKeyText, hint: `This key is not known. ${howToGetOne}` })

export const inactiveKey = () =>
  errorResponse(403, { error: inactiveKeyText, hint: "It was revoked, or its account is not active." })

export const planTooLow = (plan: Plan, { least, refusal }: Rule) =>
  errorResponse(refusal, {
    error:
      refusal === 402
        ? "This endpoint is for paid plans."
        : `This endpoint needs the ${least} plan or above; this key's plan is ${plan}.`,
    plan,
    required_plan: least,
  })

const heavyBody = ({ resetAt }: Standing) => ({ error: "rate limit exceeded", scope: "v3_heavy", reset_at: resetAt })

const limitBody = ({ resetAt, bucket, limit }: Standing) => ({
  error: `Rate limit exceeded. Retry after ${resetAt}.`,
  scope: bucket,
  limit,
  reset_at: resetAt,
})

export const limitHeaders = ({ limit, remaining, resetAt }: Pick<Standing, "limit" | "remaining" | "resetAt">) => ({
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(resetAt),
})

const retryAfter = (resetAt: number, nowMillis: number) => ({
  "retry-after": String(Math.max(1, Math.ceil(resetAt - nowMillis / 1000))),
})

export const overLimit = (standing: Standing, nowMillis: number) =>
  errorResponse(429, standing.bucket === "heavy" ? heavyBody(standing) : limitBody(standing), {
    ...limitHeaders(standing),
    ...retryAfter(standing.resetAt, nowMillis),
  })

/** Too many requests from one address that brought no good key. */
export const tooManyStrangers = ({ resetAt }: Standing, nowMillis: number) =>
  errorResponse(
    429,
    {
      error: `Too many requests without a valid API key from this address. Retry after ${resetAt}.`,
      scope: "address",
      reset_at: resetAt,
    },
    retryAfter(resetAt, nowMillis),
  )

export const unitHeaders = ({ limit, remaining, resetAt }: QuotaStanding) => ({
  "x-quota-limit": String(limit),
  "x-quota-remaining": String(remaining),
  "x-quota-reset": String(resetAt),
})

export const noUnitsLeft = ({ message, quota, limit, resetAt }: QuotaUsedUp, nowMillis: number) =>
  errorResponse(
    429,
    {
      error: limit === 0 ? `This plan has no ${quota} requests.` : message,
      scope: `${quota}_quota`,
      limit,
      reset_at: resetAt,
    },
    { ...unitHeaders({ limit, remaining: 0, resetAt }), ...retryAfter(resetAt, nowMillis) },
  )

/** No free key now. */
export const noFreeKey = ({ message, again }: NoFreeKey, nowMillis: number) => {
  const resetAt = Math.ceil(again.getTime() / 1000)
  return errorResponse(
    429,
    { error: `Too many key generation requests: ${message}.`, scope: "free_keys", reset_at: resetAt },
    retryAfter(resetAt, nowMillis),
  )
}

export const storeAway = () => errorResponse(503, { ...storeAwayBody })
