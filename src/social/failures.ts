import { Duration } from "effect"
import { xToken } from "#src/upstream/settings.ts"
import type { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import { InvalidQuery, NoToken, NotReadable, type XFailure } from "#src/upstream/x/X.ts"
import { SocialFailed } from "./model.ts"

/** X announces that the plan's posts are used up with the status of a rate limit. */
const isCap = ({ detail }: UpstreamFailure) => /usage-?capped|UsageCapExceeded/i.test(detail)

const ofUpstream = (failure: UpstreamFailure, now: number): SocialFailed => {
  const { reason, status, retryAfter } = failure
  // Not the text that X wrote, which may repeat the query.
  const detail = `X: ${reason}${status === undefined ? "" : ` ${status}`}`
  if (reason === "rate-limited") {
    if (isCap(failure)) return new SocialFailed({ kind: "capped", detail })
    const millis = retryAfter === undefined ? 60_000 : Duration.toMillis(retryAfter)
    return new SocialFailed({ kind: "rate-limited", detail, resetAt: Math.ceil((now + millis) / 1000) })
  }
  if (status === 402) return new SocialFailed({ kind: "capped", detail })
  return new SocialFailed({ kind: status === 401 || status === 403 ? "refused" : "down", detail })
}

/** What the caller may know about a failure of X. */
export const failureOf =
  (now: number) =>
  (failure: XFailure | NotReadable | SocialFailed): SocialFailed => {
    if (failure instanceof SocialFailed) return failure
    if (failure instanceof NoToken) {
      return new SocialFailed({ kind: "unconfigured", detail: `${xToken.env} is not set` })
    }
    if (failure instanceof NotReadable) {
      return new SocialFailed({ kind: "hidden-account", detail: "the account is protected or suspended" })
    }
    if (failure instanceof InvalidQuery) return new SocialFailed({ kind: "query", detail: failure.reason })
    return ofUpstream(failure, now)
  }
