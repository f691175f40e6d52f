import { type Handshake, plainHandshake, type WireInterceptor, type WireRequest } from "../wire.ts"
import type { Millis } from "../world/model.ts"
import { type Upstream, upstreamOf } from "./Fault.ts"
import type { Faults } from "./Faults.ts"
import { FaultySocket, strikeOn } from "./FaultySocket.ts"
import { faultyDelivery, serverError } from "./httpFaults.ts"

const connect = (faults: Faults, upstream: Upstream, { path }: WireRequest): Handshake => {
  const number = faults.nextConnection()
  const matching = () => faults.matching("socket", upstream, path)
  const atHandshake = matching().filter(({ fault }) => fault.kind === "down" || fault.kind === "refuse")
  const hits = atHandshake.flatMap((live) => strikeOn(live, number) ?? [])
  if (hits.some(({ fault }) => fault.kind === "down")) return { kind: "dropped" }
  const refusal = hits[0]
  if (refusal !== undefined) return { kind: "refused", response: serverError(upstream, refusal) }
  return { kind: "open", wrap: (raw) => new FaultySocket(raw, number, matching) }
}

/** Applies the faults to all upstreams, but not to the control and the page. */
export const faultInterceptor = (faults: Faults, now: () => Millis): WireInterceptor => ({
  respond: (prefix, request, serve) => {
    const upstream = upstreamOf(prefix)
    const live = upstream === undefined ? [] : faults.matching("http", upstream, request.path)
    const hits = live.flatMap((each) => each.strike() ?? [])
    if (upstream === undefined || hits.length === 0) return { response: serve(), delayMillis: 0 }
    return faultyDelivery(upstream, hits, now(), serve)
  },
  connect: (prefix, request) => {
    const upstream = upstreamOf(prefix)
    return upstream === undefined ? plainHandshake : connect(faults, upstream, request)
  },
})
