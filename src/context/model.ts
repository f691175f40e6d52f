import { Schema } from "effect"
import type { Refusal } from "#src/access/refusals.ts"
import type { QuotaExceeded, QuotaUnavailable } from "#src/limits/Quota.ts"
import type { OnlineSearchFailed } from "#src/online-search/model.ts"
import type { SocialFailed } from "#src/social/model.ts"

export const contextSources = ["social", "online"] as const
export type ContextSource = (typeof contextSources)[number]

/** Other names of the sources. */
export const sourceAliases: Readonly<Record<string, ContextSource>> = {
  social: "social",
  x: "social",
  twitter: "social",
  online: "online",
  web: "online",
  search: "online",
  searxng: "online",
  news: "online",
}

/** What is asked about a subject, in the form of each source. */
export interface GeneratedQuery {
  readonly id: string
  /** Plain words, for the web. */
  readonly query: string
  /** With operators, for X. */
  readonly social: string
  readonly reason: string
  /** Whether only pages of the last week are of use. */
  readonly isRecent: boolean
}

/** The bundle does not wait longer. */
export class TooLate extends Schema.TaggedError<TooLate>()("TooLate", { seconds: Schema.Number }) {}

/** Why a query has no answer. */
export type QueryFailure = SocialFailed | OnlineSearchFailed | QuotaExceeded | QuotaUnavailable | TooLate | Refusal

export const contextStatuses = [
  "ok",
  "partial",
  "failed",
  "rate_limited",
  "quota_exhausted",
  "payment_required",
  "unavailable",
] as const
export type ContextStatus = (typeof contextStatuses)[number]

const ofKind = {
  query: "failed",
  "no-account": "failed",
  "hidden-account": "failed",
  engines: "failed",
  down: "failed",
  "rate-limited": "rate_limited",
  unconfigured: "unavailable",
  refused: "unavailable",
  capped: "unavailable",
  budget: "unavailable",
} as const satisfies Record<SocialFailed["kind"] | OnlineSearchFailed["kind"], ContextStatus>

export const statusOfFailure = (failure: QueryFailure): ContextStatus => {
  switch (failure._tag) {
    case "SocialFailed":
    case "OnlineSearchFailed":
      return ofKind[failure.kind]
    case "QuotaExceeded":
      return "quota_exhausted"
    case "QuotaUnavailable":
    case "TooLate":
      return "failed"
    case "Refusal":
      return failure.reason === "limit" ? "rate_limited" : failure.reason === "plan" ? "payment_required" : "failed"
  }
}

const isAnswered = (status: ContextStatus) => status === "ok" || status === "partial"

/** `partial` if some queries were answered in full and others not; that of the first query if none was answered. */
export const statusOfSource = (statuses: ReadonlyArray<ContextStatus>): ContextStatus => {
  if (statuses.every((status) => status === "ok")) return "ok"
  return statuses.some(isAnswered) ? "partial" : (statuses[0] ?? "ok")
}
