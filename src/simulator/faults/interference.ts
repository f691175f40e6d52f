import { type Handshake, type Interference, opened, type WireRequest } from "../wire.ts"
import type { Millis } from "../world/model.ts"
import { serverError } from "./errorAnswers.ts"
import type { Faults } from "./Faults.ts"
import { FaultySocket, strikeOn } from "./FaultySocket.ts"
import { faultyDelivery } from "./httpFaults.ts"
import { type Upstream, upstreamOf } from "./upstreams.ts"

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

/** Lets the faults loose on the wire of all upstreams, and on nothing else. */
export const interferenceOf = (faults: Faults, now: () => Millis): Interference => ({
  answer: (prefix, request, serve) => {
    const upstream = upstreamOf(prefix)
    const live = upstream === undefined ? [] : faults.matching("http", upstream, request.path)
    const hits = live.flatMap((each) => each.strike() ?? [])
    if (upstream === undefined || hits.length === 0) return { response: serve(), delayMillis: 0 }
    return faultyDelivery(upstream, hits, now(), serve)
  },
  connect: (prefix, request) => {
    const upstream = upstreamOf(prefix)
    return upstream === undefined ? opened : connect(faults, upstream, request)
  },
})
