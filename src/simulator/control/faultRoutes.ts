import type { LiveFault } from "../faults/LiveFault.ts"
import type { Simulation } from "../Simulation.ts"
import { usualEngines } from "../searxng/engines.ts"
import { readFault, readSchedule } from "./readFault.ts"
import { known, type Routes } from "./request.ts"

const faultJson = (sim: Simulation, { fault, seen, hits }: LiveFault) => {
  const { id, upstream, channel, kind, share, parameters, path, from, until } = fault
  const state = sim.faults.isActive(fault) ? "active" : "scheduled"
  return { id, state, upstream, channel, kind, share, ...parameters, path, from, until, seen, hits }
}

export const faultsJson = (sim: Simulation) => ({
  now: sim.now(),
  faults: sim.faults.list().map((live) => faultJson(sim, live)),
  schedule: sim.faults.schedule ?? null,
  engines: Object.fromEntries(sim.faults.engines),
})

/** Switches faults on and off; every change is kept in the journal. */
export const faultRoutes = (sim: Simulation): Routes => ({
  "GET /faults": () => faultsJson(sim),
  "POST /faults": ({ body }) => {
    const fault = readFault(body(), sim.faults.nextId, sim.now())
    sim.changeFaults({ kind: "fault_on", fault })
    return faultsJson(sim).faults.find(({ id }) => id === fault.id)
  },
  "DELETE /faults": () => {
    sim.changeFaults({ kind: "fault_off", id: null })
    return faultsJson(sim)
  },
  "POST /faults/schedule": ({ body }) => {
    sim.changeFaults({ kind: "fault_schedule", schedule: readSchedule(body()) })
    return faultsJson(sim)
  },
  "DELETE /faults/schedule": () => {
    sim.changeFaults({ kind: "fault_schedule", schedule: null })
    return faultsJson(sim)
  },
  "POST /faults/engines": ({ body }) => {
    const wanted = body()
    wanted.allowOnly(["engine", "complaint"])
    const name = wanted.oneOf(
      "engine",
      usualEngines.map((engine) => engine.name),
    )
    const complaint = wanted.has("complaint") ? wanted.text("complaint", 100) : null
    sim.changeFaults({ kind: "engine", name, complaint })
    return faultsJson(sim)
  },
  "DELETE /faults/*": ({ key }) => {
    const id = known(sim.faults.has(key) ? key : undefined, "fault")
    sim.changeFaults({ kind: "fault_off", id })
    return faultsJson(sim)
  },
})
