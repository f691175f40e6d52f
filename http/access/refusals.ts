import type { Plan } from "#src/domain/Plan.ts"
import type { NoFreeKey } from "#src/keys/model.ts"
import * as refusals from "#src/keys/refusals.ts"
import type { Standing } from "#src/limits/model.ts"
import type { QuotaStanding, QuotaUsedUp } from "#src/limits/Quota.ts"
import type { RefusedAnswer } from "#src/platform/http/errorBody.ts"
import { errorResponse } from "../errors.ts"
import type { Rule } from "./Rule.ts"

const toResponse = ({ status, body, headers }: RefusedAnswer) => errorResponse(status, body, headers)

export const missingKey = () => toResponse(refusals.missingKey())
export const severalKeys = () => toResponse(refusals.severalKeys())
export const unknownKey = () => toResponse(refusals.unknownKey())
export const inactiveKey = () => toResponse(refusals.inactiveKey())
export const storeAway = () => toResponse(refusals.storeAway())
export const tooManyStrangers = (standing: Standing, nowMillis: number) =>
  toResponse(refusals.tooManyStrangers(standing, nowMillis))

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

export const overLimit = (standing: Standing, nowMillis: number) =>
  errorResponse(429, standing.bucket === "heavy" ? heavyBody(standing) : limitBody(standing), {
    ...limitHeaders(standing),
    ...refusals.retryAfter(standing.resetAt, nowMillis),
  })

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
    { ...unitHeaders({ limit, remaining: 0, resetAt }), ...refusals.retryAfter(resetAt, nowMillis) },
  )

/** No free key now. */
export const noFreeKey = ({ message, again }: NoFreeKey, nowMillis: number) => {
  const resetAt = Math.ceil(again.getTime() / 1000)
  return errorResponse(
    429,
    { error: `Too many key generation requests: ${message}.`, scope: "free_keys", reset_at: resetAt },
    refusals.retryAfter(resetAt, nowMillis),
  )
}
