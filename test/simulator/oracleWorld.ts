import { createHash, createHmac } from "node:crypto"
import { Journal } from "#src/simulator/Journal.ts"
import { Simulation } from "#src/simulator/Simulation.ts"
import type { SocketService, WireRequest, WireSocket } from "#src/simulator/wire.ts"
import { coins } from "#src/simulator/world/oracle.ts"
import type { ScaleName } from "#src/simulator/world/scale.ts"

export const genesis = 1_794_700_800_000
export const now = genesis + 60_000
export const nowSecond = now / 1000
export const credentials = { clientId: "6f1c2b9e-4c55-4b8a-9d0a-6a2f0d9f7b11", secret: "correct horse" }
export const [btc, eth] = coins.map(({ feedId }) => feedId) as [string, string]
export const unknownFeed = `0x0003${"ab".repeat(30)}`

export const frozen = (seed: number, scale: ScaleName = "brief") => {
  const sim = new Simulation(Journal.open(undefined, { seed, genesis, scale }), () => now)
  sim.freeze()
  return sim
}
export const secondOf = (sim: Simulation) => Math.floor(sim.now() / 1000)

export const requestOf = (target: string, over: Partial<WireRequest> = {}): WireRequest => {
  const url = new URL(target, "http://simulator")
  // The path has no prefix, but the client signed the target with it.
  const path = url.pathname.replace(/^\/datastreams/, "")
  return { method: "GET", path, query: url.searchParams, target, headers: {}, body: "", ...over }
}

export const signed = (target: string, at = now, { clientId, secret } = credentials, method = "GET"): WireRequest => {
  const bodyHash = createHash("sha256").update("").digest("hex")
  const text = `${method} ${target} ${bodyHash} ${clientId} ${at}`
  const headers = {
    authorization: clientId,
    "x-authorization-timestamp": String(at),
    "x-authorization-signature-sha256": createHmac("sha256", secret).update(text).digest("hex"),
  }
  return requestOf(target, { method, headers })
}

export const connect = (service: SocketService, request = requestOf("/")) => {
  const sent: Array<string> = []
  const closed: Array<number> = []
  const socket: WireSocket = {
    send: (text) => sent.push(text),
    close: (code) => closed.push(code),
    onMessage: () => {},
    onClose: () => {},
  }
  service(socket, request)
  return { socket, sent, closed, take: () => sent.splice(0).flatMap((text) => (text === "" ? [] : [JSON.parse(text)])) }
}
