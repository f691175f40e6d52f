import { STATUS_CODES } from "node:http"
import { hexOf } from "../random.ts"
import { type Delivery, json, type TextOrChunks, toText, type WireResponse } from "../wire.ts"
import type { Millis } from "../world/model.ts"
import { withSkew, withWrongTypes } from "./bodyFaults.ts"
import { type Fault, type Hit, type HttpKind, parameterOf, type Upstream } from "./Fault.ts"

/** The error format of each upstream. */
const errorBody = (upstream: Upstream, status: number, roll: number): unknown => {
  const reason = STATUS_CODES[status] ?? "Error"
  const limited = status === 429
  switch (upstream) {
    case "gamma":
      return { type: limited ? "rate limit error" : "internal server error", error: reason }
    case "data":
      return {
        error: reason,
        code: limited ? "rate_limited" : status === 503 ? "dependency_unavailable" : "internal",
        retryable: true,
        trace_id: hexOf(16, roll, 1),
      }
    case "rpc":
      return { jsonrpc: "2.0", id: null, error: { code: limited ? -32005 : -32603, message: reason } }
    case "datastreams":
      return { error: limited ? "too_many_requests" : "internal_error", message: reason }
    case "x":
      return { title: reason, detail: reason, type: "about:blank", status }
    default:
      return { error: reason }
  }
}

const rateLimited = (upstream: Upstream, { fault, roll }: Hit, now: Millis): WireResponse => {
  const seconds = parameterOf(fault, "retry_after_s")
  const response = json(errorBody(upstream, 429, roll), 429)
  const extraHeaders =
    upstream === "x"
      ? {
          "x-rate-limit-limit": "450",
          "x-rate-limit-remaining": "0",
          "x-rate-limit-reset": String(Math.ceil(now / 1000) + seconds),
        }
      : {}
  return { ...response, headers: { ...response.headers, "retry-after": String(seconds), ...extraHeaders } }
}

export const serverError = (upstream: Upstream, { fault, roll }: Hit): WireResponse => {
  const status = parameterOf(fault, "status")
  return json(errorBody(upstream, status, roll), status)
}

/** The HTML page of a gateway. */
const htmlPage = (fault: Fault): WireResponse => {
  const status = parameterOf(fault, "status")
  const title = status < 400 ? "Just a moment..." : `${status}: ${STATUS_CODES[status] ?? "Error"}`
  return {
    status,
    headers: { "content-type": "text/html; charset=UTF-8" },
    body: `<!DOCTYPE html>\n<html lang="en-US"><head><title>${title}</title></head><body><h1>${title}</h1><p>Please enable cookies and reload the page.</p></body></html>\n`,
  }
}

/** The response sent instead of the real one, which is then never computed. */
const replacementFor = (upstream: Upstream, hit: Hit, now: Millis): WireResponse | undefined => {
  switch (hit.fault.kind as HttpKind) {
    case "rate_limited":
      return rateLimited(upstream, hit, now)
    case "server_error":
      return serverError(upstream, hit)
    case "html":
      return htmlPage(hit.fault)
    default:
      return undefined
  }
}

const cutAt = (length: number, roll: number) => Math.floor((length * (roll % 900)) / 1000)

/** A complete response whose JSON is cut off. */
const truncated = ({ status, headers, body }: WireResponse, roll: number): WireResponse => {
  // The prefix of a number is a valid number, so the cut would go unnoticed.
  const kept = /^-?\d/.test(body) ? "" : body.slice(0, cutAt(body.length, roll))
  return { status, headers: { ...headers, "content-length": String(Buffer.byteLength(kept)) }, body: kept }
}

const applyHit = (delivery: Delivery, { fault, roll }: Hit, now: Millis): Delivery => {
  const response = { ...delivery.response, body: toText(delivery.response.body) }
  switch (fault.kind as HttpKind) {
    case "slow":
      return { ...delivery, delayMillis: delivery.delayMillis + parameterOf(fault, "delay_ms") }
    case "truncated":
      return { ...delivery, response: truncated(response, roll) }
    case "broken":
      return { ...delivery, sentBytes: cutAt(Buffer.byteLength(response.body), roll) }
    case "wrong_types":
      return { ...delivery, response: { ...response, body: withWrongTypes(response.body, roll) } }
    case "clock_skew": {
      const skew = parameterOf(fault, "skew_ms")
      const headers = { ...response.headers, date: new Date(now + skew).toUTCString() }
      return { ...delivery, response: { ...response, headers, body: withSkew(response.body, skew) } }
    }
    default:
      return delivery
  }
}

/** Cuts come last because the other faults change the body's length. */
const applicationOrder = ({ fault }: Hit): number => (fault.kind === "broken" ? 2 : fault.kind === "truncated" ? 1 : 0)

/** The delivery of a response under these faults; undefined if the upstream is down. */
export const faultyDelivery = (
  upstream: Upstream,
  hits: ReadonlyArray<Hit>,
  now: Millis,
  serve: (blocksBehind: number) => WireResponse<TextOrChunks>,
): Delivery | undefined => {
  if (hits.some(({ fault }) => fault.kind === "down")) return undefined
  let replacement: WireResponse | undefined
  for (const hit of hits) replacement ??= replacementFor(upstream, hit, now)
  const behind = hits.find(({ fault }) => fault.kind === "behind")
  const ordered = [...hits].sort((a, b) => applicationOrder(a) - applicationOrder(b))
  return ordered.reduce<Delivery>((delivery, hit) => applyHit(delivery, hit, now), {
    response: replacement ?? serve(behind === undefined ? 0 : parameterOf(behind.fault, "blocks")),
    delayMillis: 0,
  })
}
