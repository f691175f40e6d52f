import { Query } from "../gamma/Query.ts"
import { Refusal } from "../gamma/refusal.ts"
import type { Simulation } from "../Simulation.ts"
import { json, type Service } from "../wire.ts"
import { clockRoutes } from "./clock.ts"
import { faultRoutes } from "./faultRoutes.ts"
import { glanceRoutes } from "./glance.ts"
import { Body, bad, Refused, type Routes, routeOf } from "./request.ts"
import { countRoutes } from "./truth/countRoutes.ts"
import { feeRoutes } from "./truth/feeRoutes.ts"
import { marketRoutes } from "./truth/marketRoutes.ts"
import { tickRoutes } from "./truth/tickRoutes.ts"
import { walletRoutes } from "./truth/walletRoutes.ts"

const refusedOf = (error: unknown): Refused | undefined => {
  if (error instanceof Refused) return error
  if (error instanceof Refusal) return bad(error.message)
  return error instanceof URIError ? bad("malformed path") : undefined
}

/** Looks into the world, moves it and makes its wires fail. */
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
      return json(route({ key, query: new Query(request.query), body: () => new Body(request.body) }))
    } catch (error) {
      const refused = refusedOf(error)
      if (refused === undefined) throw error
      return refused.response
    }
  }
}
