import {
  appliesTo,
  type Channel,
  type Fault,
  hasChannel,
  type Kind,
  kinds,
  type LiveFault,
  type Parameter,
  parametersOf,
  upstreamNames,
} from "../faults/Fault.ts"
import { candidatesOf, type FaultSchedule } from "../faults/schedule.ts"
import type { Simulation } from "../Simulation.ts"
import { defaultEngines } from "../searxng/engines.ts"
import type { Millis } from "../world/model.ts"
import { badRequest, type JsonBody, orNotFound, type Routes } from "./request.ts"

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

/** Switches faults on and off; every change is recorded in the journal. */
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
    const request = body()
    request.allowOnly(["engine", "complaint"])
    const name = request.oneOf(
      "engine",
      defaultEngines.map((engine) => engine.name),
    )
    const complaint = request.has("complaint") ? request.text("complaint", 100) : null
    sim.changeFaults({ kind: "engine", name, complaint })
    return faultsJson(sim)
  },
  "DELETE /faults/*": ({ key }) => {
    const id = orNotFound(sim.faults.has(key) ? key : undefined, "fault")
    sim.changeFaults({ kind: "fault_off", id })
    return faultsJson(sim)
  },
})

const channels: ReadonlyArray<Channel> = ["http", "socket"]
const faultFields = ["upstream", "channel", "kind", "share", "path", "from", "until"]
const scheduleFields = ["seed", "rate_per_hour", "kinds", "upstreams", "reorgs"]
const endOfTime = 8_640_000_000_000_000

const readParameters = (body: JsonBody, kind: Kind): Readonly<Partial<Record<Parameter, number>>> =>
  Object.fromEntries(
    Object.entries(parametersOf[kind] ?? {}).map(([name, { default: fallback, min, max }]) => [
      name,
      body.has(name) ? body.integer(name, min, max) : fallback,
    ]),
  )

const readPath = (body: JsonBody): string | null => {
  if (!body.has("path")) return null
  const path = body.text("path", 500)
  if (!path.startsWith("/")) throw badRequest("path: must start with a slash")
  return path
}

/** Reads a fault from a request body. */
const readFault = (body: JsonBody, id: string, now: Millis): Fault => {
  const upstream = body.oneOf("upstream", ["*", ...upstreamNames])
  const channel = body.oneOf("channel", channels)
  const kind = body.oneOf<Kind>("kind", kinds[channel])
  body.allowOnly([...faultFields, ...Object.keys(parametersOf[kind] ?? {})])
  if (upstream !== "*" && !hasChannel(upstream, channel)) throw badRequest(`channel: ${upstream} has no ${channel}`)
  if (!appliesTo(kind, upstream)) throw badRequest(`kind: ${kind} applies to rpc only`)
  const from = body.has("from") ? body.integer("from", 0, endOfTime) : null
  const until = body.has("until") ? body.integer("until", 0, endOfTime) : null
  if (until !== null && until <= Math.max(from ?? now, now)) throw badRequest("until: must be after now and after from")
  const share = body.has("share") ? body.share("share") : 1
  return {
    id,
    upstream,
    channel,
    kind,
    share,
    parameters: readParameters(body, kind),
    path: readPath(body),
    from,
    until,
  }
}

const readSchedule = (body: JsonBody): FaultSchedule => {
  body.allowOnly(scheduleFields)
  const schedule: FaultSchedule = {
    seed: body.integer("seed", 0, 0xffffffff),
    rate_per_hour: body.integer("rate_per_hour", 1, 3_600),
    kinds: body.has("kinds") ? body.someOf<Kind>("kinds", [...new Set([...kinds.http, ...kinds.socket])]) : null,
    upstreams: body.has("upstreams") ? body.someOf("upstreams", upstreamNames) : null,
    reorgs: body.boolean("reorgs") ?? true,
  }
  if (candidatesOf(schedule).length === 0) throw badRequest("kinds: none of them applies to these upstreams")
  return schedule
}
