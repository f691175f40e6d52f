import { STATUS_CODES } from "node:http"
import { hexOf } from "../random.ts"
import { json, type WireResponse } from "../wire.ts"
import type { Millis } from "../world/model.ts"
import { type Fault, parameterOf } from "./Fault.ts"
import type { Hit } from "./LiveFault.ts"
import type { Upstream } from "./upstreams.ts"

/** An error as each upstream words its own. */
const errorBody = (upstream: Upstream, status: number, roll: number): unknown => {
  const words = STATUS_CODES[status] ?? "Error"
  const limited = status === 429
  switch (upstream) {
    case "gamma":
      return { type: limited ? "rate limit error" : "internal server error", error: words }
    case "data":
      return {
        error: words,
        code: limited ? "rate_limited" : status === 503 ? "dependency_unavailable" : "internal",
        retryable: true,
        trace_id: hexOf(16, roll, 1),
      }
    case "rpc":
      return { jsonrpc: "2.0", id: null, error: { code: limited ? -32005 : -32603, message: words } }
    case "datastreams":
      return { error: limited ? "too_many_requests" : "internal_error", message: words }
    case "x":
      return { title: words, detail: words, type: "about:blank", status }
    default:
      return { error: words }
  }
}

export const rateLimited = (upstream: Upstream, { fault, roll }: Hit, now: Millis): WireResponse => {
  const seconds = parameterOf(fault, "retry_after_s")
  const answer = json(errorBody(upstream, 429, roll), 429)
  const own =
    upstream === "x"
      ? {
          "x-rate-limit-limit": "450",
          "x-rate-limit-remaining": "0",
          "x-rate-limit-reset": String(Math.ceil(now / 1000) + seconds),
        }
      : {}
  return { ...answer, headers: { ...answer.headers, "retry-after": String(seconds), ...own } }
}

export const serverError = (upstream: Upstream, { fault, roll }: Hit): WireResponse => {
  const status = parameterOf(fault, "status")
  return json(errorBody(upstream, status, roll), status)
}

/** What a gateway shows to people. */
export const htmlPage = (fault: Fault): WireResponse => {
  const status = parameterOf(fault, "status")
  const title = status < 400 ? "Just a moment..." : `${status}: ${STATUS_CODES[status] ?? "Error"}`
  return {
    status,
    headers: { "content-type": "text/html; charset=UTF-8" },
    body: `<!DOCTYPE html>\n<html lang="en-US"><head><title>${title}</title></head><body><h1>${title}</h1><p>Please enable cookies and reload the page.</p></body></html>\n`,
  }
}
