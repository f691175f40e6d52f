import type { Simulation } from "../Simulation.ts"
import type { Routes } from "./request.ts"
import { stateOf } from "./state.ts"

const longestJump = 86_400_000
const deepestReorg = 300
const highestRate = 500

/** Moves the world: its clock, its pace, its newest blocks. */
export const clockRoutes = (sim: Simulation): Routes => ({
  "GET /state": () => stateOf(sim),
  "POST /clock": ({ body: read }) => {
    const body = read()
    body.allowOnly(["frozen", "settle", "advance_ms"])
    const frozen = body.flag("frozen")
    const settle = body.flag("settle")
    const millis = body.has("advance_ms") ? body.whole("advance_ms", 0, longestJump) : undefined
    if (frozen === true) sim.freeze()
    if (frozen === false) sim.thaw()
    if (settle === true) sim.settle()
    if (millis !== undefined) sim.advance(millis)
    return stateOf(sim)
  },
  "POST /rate": ({ body: read }) => {
    const body = read()
    body.allowOnly(["rate"])
    sim.setRate(body.whole("rate", 1, highestRate, "fills a second"))
    return stateOf(sim)
  },
  "POST /reorg": ({ body: read }) => {
    const body = read()
    body.allowOnly(["depth"])
    sim.reorg(body.whole("depth", 1, deepestReorg, "blocks"))
    return stateOf(sim)
  },
})
