import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { rpcService } from "./chain/rpc/rpcService.ts"
import { rpcSocket } from "./chain/rpc/rpcSocket.ts"
import { clobService } from "./clob/clobService.ts"
import { marketSocket } from "./clob/socket/marketSocket.ts"
import { controlService } from "./control/controlService.ts"
import { activityTopic } from "./data/activityTopic.ts"
import { dataService } from "./data/dataService.ts"
import { interferenceOf } from "./faults/interference.ts"
import { gammaService } from "./gamma/gammaService.ts"
import { Journal } from "./Journal.ts"
import { cryptoPriceService } from "./oracle/cryptoPrice.ts"
import { datastreamsService } from "./oracle/datastreams.ts"
import { datastreamsHandshake, datastreamsSocket } from "./oracle/datastreamsSocket.ts"
import { rtdsSocket } from "./oracle/rtds.ts"
import { pageService } from "./page.ts"
import { Simulation } from "./Simulation.ts"
import { searxngService } from "./searxng/searxngService.ts"
import { makeServer } from "./server.ts"
import { sportsSocket } from "./sports/sportsSocket.ts"
import { takeAlone } from "./takeAlone.ts"
import type { ScaleName } from "./world/scale.ts"
import { xService } from "./x/xService.ts"

export interface SimulatorOptions {
  readonly host: string
  readonly port: number
  readonly seed: number
  /** Undefined begins now. */
  readonly genesis: number | undefined
  readonly scale: ScaleName
  /** Filled orders a second. */
  readonly rate: number
  /** Where the journal is kept; undefined keeps none. */
  readonly directory: string | undefined
  readonly onFault: (error: unknown) => void
  /** The real time; the machine's unless told otherwise. */
  readonly clock?: () => number
}

export interface RunningSimulator {
  readonly port: number
  readonly simulation: Simulation
  readonly stop: () => Promise<void>
}

/** What the simulated data streams take; there is nothing to protect. */
export const simulatorCredentials = { clientId: "00000000-0000-4000-8000-000000000001", secret: "simulated-secret" }

/** How often the world catches up with the clock. */
const tickMillis = 100

/** Brings the simulated venue up on its port. */
export const startSimulator = async (options: SimulatorOptions): Promise<RunningSimulator> => {
  const path = options.directory === undefined ? undefined : join(options.directory, "simulator", "journal.jsonl")
  const { seed, scale, genesis, rate } = options
  const release = path === undefined ? () => undefined : takeAlone(path)
  const journal = Journal.open(path, { seed, scale, genesis, rate })
  const simulation = new Simulation(journal, options.clock ?? Date.now)
  if (simulation.rate !== rate) simulation.setRate(rate)
  const datastreams = datastreamsService(simulation, simulatorCredentials)
  const server = makeServer(
    {
      services: {
        "/": pageService,
        "/_sim": controlService(simulation),
        "/rpc": rpcService(simulation),
        "/gamma": gammaService(simulation),
        "/clob": clobService(simulation),
        "/data": dataService(simulation),
        "/site": cryptoPriceService(simulation),
        "/searxng": searxngService(simulation),
        "/x": xService(simulation),
        "/datastreams": datastreams,
        // The venue's own client drops whatever stands before this in its base address.
        "/api/v1": (request) => datastreams({ ...request, path: `/api/v1${request.path === "/" ? "" : request.path}` }),
      },
      sockets: {
        "/rpc": { open: rpcSocket(simulation) },
        "/clob/ws/market": { open: marketSocket(simulation) },
        "/rtds": { open: rtdsSocket(simulation, [activityTopic(simulation)]) },
        "/sports/ws": { open: sportsSocket(simulation) },
        "/datastreams": {
          open: datastreamsSocket(simulation, simulatorCredentials),
          refuse: datastreamsHandshake(simulatorCredentials),
        },
      },
    },
    options.onFault,
    interferenceOf(simulation.faults, () => simulation.now()),
  )
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      release()
      reject(error)
    })
    server.listen(options.port, options.host, resolve)
  })
  const timer = setInterval(() => {
    try {
      simulation.tick()
    } catch (error) {
      options.onFault(error)
    }
  }, tickMillis)
  return {
    port: (server.address() as AddressInfo).port,
    simulation,
    stop: () => {
      clearInterval(timer)
      release()
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
