import { isKnownHost } from "#src/platform/http/knownHosts.ts"
import { type SimulatorOptions, startSimulator } from "#src/simulator/start.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { expose } from "../support/expose.ts"
import { serveStored } from "../support/storedNode.ts"
import type { VenueSubject } from "../support/venue.ts"

let running: Awaited<ReturnType<typeof startSimulator>> | undefined

const run = async (options: Pick<SimulatorOptions, "scale" | "genesis" | "clock">) => {
  running = await startSimulator({
    host: "127.0.0.1",
    port: 0,
    seed: 1,
    rate: 5,
    directory: undefined,
    isKnownHost: (host) => isKnownHost(host, []),
    onError: (error) => {
      throw error
    },
    ...options,
  })
  return { port: running.port, head: running.simulation.head }
}

expose<VenueSubject>({
  start: (scale) => run({ scale, genesis: undefined }),
  startAt: (scale, genesis) => run({ scale, genesis, clock: () => genesis }),
  advance: async (millis) => {
    if (running === undefined) throw new Error("the venue has not been started")
    running.simulation.advance(millis)
    return running.simulation.head
  },
  store: async (fills) => {
    if (running === undefined) throw new Error("the venue has not been started")
    const { simulation } = running
    const { facts } = simulation.model.world
    const head = facts.block.get(facts.txOf(Math.min(fills, facts.fills) - 1)) + firstBlock
    return { port: await serveStored(simulation, head), head }
  },
  dueAt: (blocks) => blocks.map((block) => running?.simulation.model.world.clock.millisOf(block) ?? 0),
})
