import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import type { ErrorBody, RefusedAnswer } from "#src/platform/http/errorBody.ts"
import type { SocialFailed, SocialFindings } from "#src/social/model.ts"
import { postsPerMonth } from "#src/social/settings.ts"
import { xToken } from "#src/upstream/settings.ts"
import { refusalResponse } from "../server/errors.ts"

const noStore = { "cache-control": "private, no-store" }

export const postsResponse = (
  about: { readonly query: string } | { readonly handle: string },
  { posts, hasMore, fetchedAt }: SocialFindings,
) =>
  HttpServerResponse.jsonUnsafe(
    {
      ...about,
      tweets: posts,
      result_count: posts.length,
      has_more: hasMore,
      fetched_at: new Date(fetchedAt).toISOString(),
    },
    { headers: noStore },
  )

const retryHeader = (resetAt: number, nowMillis: number) => ({
  "retry-after": String(Math.max(1, Math.ceil(resetAt - nowMillis / 1000))),
})

const answer = (status: number, body: ErrorBody, headers: Readonly<Record<string, string>> = {}): RefusedAnswer => ({
  status,
  body,
  headers,
})

/** What is answered when nothing could be found out. None of it counts toward the quota. */
export const failureResponse = (failure: SocialFailed, nowMillis: number): HttpServerResponse.HttpServerResponse =>
  refusalResponse(failureAnswer(failure, nowMillis))

export const failureAnswer = (failure: SocialFailed, nowMillis: number): RefusedAnswer => {
  const { kind, detail, hint, resetAt = Math.ceil(nowMillis / 1000) + 60 } = failure
  switch (kind) {
    case "query":
      return answer(400, {
        error: `Parameter "q": ${detail}${detail.endsWith(".") ? "" : "."}`,
        param: "q",
        ...(hint === undefined ? {} : { hint }),
      })
    case "no-account":
      return answer(404, { error: "There is no account with this handle.", param: "handle" })
    case "hidden-account":
      return answer(404, {
        error: "The posts of this account are not public: it is protected or suspended.",
        param: "handle",
      })
    case "rate-limited":
      return answer(
        429,
        {
          error: `The network takes no more requests of this service for the moment. Retry after ${resetAt}.`,
          scope: "social_upstream",
          reset_at: resetAt,
        },
        retryHeader(resetAt, nowMillis),
      )
    case "budget":
      return answer(
        503,
        {
          error: "This service has read as many posts this month as it may.",
          hint: `Its operator can raise ${postsPerMonth.name}.`,
          reset_at: resetAt,
        },
        retryHeader(resetAt, nowMillis),
      )
    case "capped":
      return answer(503, {
        error: "The network has delivered as many posts as this service pays for.",
        hint: "Its operator has to raise the plan or the credits of the token.",
      })
    case "unconfigured":
      return answer(503, {
        error: "Social search is not set up on this instance.",
        hint: `Its operator has to set ${xToken.env} to a bearer token of X API v2.`,
      })
    case "refused":
      return answer(503, {
        error: "The network refuses the token of this service.",
        hint: `Its operator has to check ${xToken.env} and what its plan allows.`,
      })
    case "down":
      return answer(502, { error: "The network does not answer.", hint: "Try again in a few seconds." })
  }
}
