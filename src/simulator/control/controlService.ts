import { GammaError, Query } from "../gamma/Query.ts"
import type { Simulation } from "../Simulation.ts"
import { json, type Service } from "../wire.ts"
import { faultRoutes } from "./faultRoutes.ts"
import { badRequest, ControlError, JsonBody, type Routes, routeOf } from "./request.ts"
import { glanceRoutes, stateOf } from "./state.ts"
import { countRoutes, feeRoutes } from "./truth/blockRoutes.ts"
import { marketRoutes } from "./truth/marketRoutes.ts"
import { tickRoutes } from "./truth/tickRoutes.ts"
import { walletRoutes } from "./truth/walletRoutes.ts"

const maxAdvanceMillis = 86_400_000
const maxReorgDepth = 300
const maxRate = 500

/** Clock, rate and reorganisations. */
const clockRoutes = (sim: Simulation): Routes => ({
  "GET /state": () => stateOf(sim),
  "POST /clock": ({ body: read }) => {
    const body = read()
    body.allowOnly(["frozen", "settle", "advance_ms"])
    const frozen = body.boolean("frozen")
    const settle = body.boolean("settle")
    const millis = body.has("advance_ms") ? body.integer("advance_ms", 0, maxAdvanceMillis) : undefined
    if (frozen === true) sim.freeze()
    if (frozen === false) sim.thaw()
    if (settle === true) sim.settle()
    if (millis !== undefined) sim.advance(millis)
    return stateOf(sim)
  },
  "POST /rate": ({ body: read }) => {
    const body = read()
    body.allowOnly(["rate"])
    sim.setRate(body.integer("rate", 1, maxRate, "fills per second"))
    return stateOf(sim)
  },
  "POST /games/*": ({ key, body: read }) => {
    const body = read()
    body.allowOnly(["called_off"])
    const as = body.oneOf("called_off", ["postponed", "cancelled"] as const)
    if (!/^\d{1,15}$/.test(key) || !sim.callOff(Number(key), as)) throw new ControlError(404, "game not found")
    return { id: Number(key), called_off: as }
  },
  "POST /reorg": ({ body: read }) => {
    const body = read()
    body.allowOnly(["depth"])
    sim.reorg(body.integer("depth", 1, maxReorgDepth, "blocks"))
    return stateOf(sim)
  },
})

const toControlError = (error: unknown): ControlError | undefined => {
  if (error instanceof ControlError) return error
  if (error instanceof GammaError) return badRequest(error.message)
  return error instanceof URIError ? badRequest("malformed path") : undefined
}

/** Inspects and moves the world, and injects faults. */
export const controlService = (sim: Simulation): Service => {
  const routes: Routes = {
    ...clockRoutes(sim),
    ...glanceRoutes(sim),
    ...faultRoutes(sim),
    ...walletRoutes(sim),
    ...marketRoutes(sim),
    ...countRoutes(sim),
    ...feeRoutes(sim),
    ...tickRoutes(sim),
  }
  return (request) => {
    try {
      const { route, key } = routeOf(routes, request)
      return json(route({ key, query: new Query(request.query), body: () => new JsonBody(request.body) }))
    } catch (error) {
      const controlError = toControlError(error)
      if (controlError === undefined) throw error
      return controlError.response
    }
  }
}
