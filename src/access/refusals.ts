import type { Plan } from "#src/domain/Plan.ts"
import type { NoFreeKey } from "#src/keys/model.ts"
import type { LimitStatus } from "#src/limits/model.ts"
import type { QuotaExceeded, QuotaStatus } from "#src/limits/Quota.ts"
import type { ErrorBody, RefusedAnswer } from "#src/platform/http/errorBody.ts"
import type { Rule } from "./Rule.ts"

/** Labels of `presage_ws_refused_upgrades_total`, among others. */
export type RefusalReason =
  | "bad_request"
  | "missing_key"
  | "several_keys"
  | "unknown_key"
  | "inactive_key"
  | "address"
  | "store_away"
  | "plan"
  | "limit"
  | "quota"
  | "free_keys"
  | "accept_rate"
  | "session_over"

/** Why a request is refused, and the answer to send, independent of the edge that sends it. */
export interface Refusal extends RefusedAnswer {
  readonly _tag: "Refusal"
  readonly reason: RefusalReason
}

const refusal = (
  reason: RefusalReason,
  status: number,
  body: ErrorBody,
  headers: Readonly<Record<string, string>> = {},
): Refusal => ({ _tag: "Refusal", reason, status, body, headers })

const retryAfter = (resetAt: number, nowMillis: number) => ({
  "retry-after": String(Math.max(1, Math.ceil(resetAt - nowMillis / 1000))),
})

export const badRequest = (body: ErrorBody) => refusal("bad_request", 400, body)

const noKeyText = "Missing or invalid API key. Use x-api-key header or ?key= param."
const howToGetOne = "POST /v1/keys creates a free key."

export const missingKey = () =>
  refusal("missing_key", 401, { error: noKeyText, hint: `The request has no key. ${howToGetOne}` })

export const severalKeys = () =>
  refusal("several_keys", 401, { error: noKeyText, hint: "The request has several different keys. Send only one." })

/** The same for a mistyped key and one that never existed. */
export const unknownKey = () =>
  refusal("unknown_key", 401, { error: noKeyText, hint: `This key does not exist. ${howToGetOne}` })

export const inactiveKey = () =>
  refusal("inactive_key", 403, {
    error: "Invalid or inactive API key.",
    hint: "The key was revoked, or its account is not active.",
  })

/** Too many requests from one address without a valid key. */
export const addressLimitExceeded = ({ resetAt }: LimitStatus, nowMillis: number) =>
  refusal(
    "address",
    429,
    {
      error: `Too many requests without a valid API key from this address. Retry after ${resetAt}.`,
      scope: "address",
      reset_at: resetAt,
    },
    retryAfter(resetAt, nowMillis),
  )

export const storeUnavailableBody = {
  error: "A required data store is temporarily unavailable.",
  hint: "Try again in a few seconds.",
} as const

export const storeUnavailable = () => refusal("store_away", 503, { ...storeUnavailableBody }, { "retry-after": "2" })

/** 402 for a free key, 403 for a paid plan that is too low. */
export const planTooLow = (plan: Plan, { minPlan }: Rule) =>
  refusal("plan", plan === "free" ? 402 : 403, {
    error:
      minPlan === "starter"
        ? "This endpoint requires a paid plan."
        : `This endpoint requires the ${minPlan} plan or above. The plan of this key is ${plan}.`,
    plan,
    required_plan: minPlan,
  })

export const limitHeaders = ({ limit, remaining, resetAt }: Pick<LimitStatus, "limit" | "remaining" | "resetAt">) => ({
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(resetAt),
})

const heavyBody = ({ resetAt }: LimitStatus) => ({ error: "rate limit exceeded", scope: "v3_heavy", reset_at: resetAt })

const limitBody = ({ resetAt, bucket, limit }: LimitStatus) => ({
  error: `Rate limit exceeded. Retry after ${resetAt}.`,
  scope: bucket,
  limit,
  reset_at: resetAt,
})

export const limitExceeded = (status: LimitStatus, nowMillis: number) =>
  refusal("limit", 429, status.bucket === "heavy" ? heavyBody(status) : limitBody(status), {
    ...limitHeaders(status),
    ...retryAfter(status.resetAt, nowMillis),
  })

export const quotaHeaders = ({ limit, remaining, resetAt }: QuotaStatus) => ({
  "x-quota-used": String(limit - remaining),
  "x-quota-limit": String(limit),
  "x-quota-remaining": String(remaining),
  "x-quota-reset": String(resetAt),
})

export const quotaExceeded = ({ message, quota, limit, resetAt }: QuotaExceeded, nowMillis: number) =>
  refusal(
    "quota",
    429,
    {
      error: limit === 0 ? `This plan has no ${quota} requests.` : message,
      scope: `${quota}_quota`,
      limit,
      reset_at: resetAt,
    },
    { ...quotaHeaders({ limit, remaining: 0, resetAt }), ...retryAfter(resetAt, nowMillis) },
  )

export const noFreeKey = ({ message, retryAt }: NoFreeKey, nowMillis: number) => {
  const resetAt = Math.ceil(retryAt.getTime() / 1000)
  return refusal(
    "free_keys",
    429,
    { error: `Too many key generation requests. ${message}`, scope: "free_keys", reset_at: resetAt },
    retryAfter(resetAt, nowMillis),
  )
}

/** The plan's connection time for today is used up. */
export const sessionOver = (secondsPerDay: number, resetAtMillis: number, nowMillis: number) => {
  const resetAt = Math.ceil(resetAtMillis / 1000)
  return refusal(
    "session_over",
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

/** More upgrades per second than the gateway accepts. */
export const acceptRateExceeded = (retryAfterMillis: number) =>
  refusal(
    "accept_rate",
    503,
    {
      error: "Too many clients are connecting at the same time.",
      hint: "Connect again after retry_after_ms.",
      retry_after_ms: retryAfterMillis,
    },
    { "retry-after": String(Math.ceil(retryAfterMillis / 1000)) },
  )
