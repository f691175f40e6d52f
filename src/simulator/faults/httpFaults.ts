import { type Text, wholeText } from "../pieces.ts"
import type { Delivery, WireResponse } from "../wire.ts"
import type { Millis } from "../world/model.ts"
import { withSkew } from "./clockSkew.ts"
import { htmlPage, rateLimited, serverError } from "./errorAnswers.ts"
import { type HttpKind, parameterOf } from "./Fault.ts"
import type { Hit } from "./LiveFault.ts"
import type { Upstream } from "./upstreams.ts"
import { withWrongTypes } from "./wrongTypes.ts"

/** What is sent instead of the answer, which is then never made. */
const instead = (upstream: Upstream, hit: Hit, now: Millis): WireResponse | undefined => {
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

/** A whole answer of which the end of the JSON is missing. */
const truncated = ({ status, headers, body }: WireResponse, roll: number): WireResponse => {
  // The beginning of a number would be one as well, and nobody could tell.
  const kept = /^-?\d/.test(body) ? "" : body.slice(0, cutAt(body.length, roll))
  return { status, headers: { ...headers, "content-length": String(Buffer.byteLength(kept)) }, body: kept }
}

const altered = (delivery: Delivery, { fault, roll }: Hit, now: Millis): Delivery => {
  const response = { ...delivery.response, body: wholeText(delivery.response.body) }
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

/** Cuts come last: what else is changed changes how long the body is. */
const turnOf = ({ fault }: Hit): number => (fault.kind === "broken" ? 2 : fault.kind === "truncated" ? 1 : 0)

/** How an answer goes out when these faults hit it; nothing goes out of an upstream that is down. */
export const faultyDelivery = (
  upstream: Upstream,
  hits: ReadonlyArray<Hit>,
  now: Millis,
  serve: (blocksBehind: number) => WireResponse<Text>,
): Delivery | undefined => {
  if (hits.some(({ fault }) => fault.kind === "down")) return undefined
  let replacement: WireResponse | undefined
  for (const hit of hits) replacement ??= instead(upstream, hit, now)
  const behind = hits.find(({ fault }) => fault.kind === "behind")
  const inTurn = [...hits].sort((a, b) => turnOf(a) - turnOf(b))
  return inTurn.reduce<Delivery>((delivery, hit) => altered(delivery, hit, now), {
    response: replacement ?? serve(behind === undefined ? 0 : parameterOf(behind.fault, "blocks")),
    delayMillis: 0,
  })
}
