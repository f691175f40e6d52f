import type { AddressInfo } from "node:net"
import { rpcService, rpcSocket } from "./chain/rpc/rpcService.ts"
import { clobService } from "./clob/clobService.ts"
import { marketSocket } from "./clob/socket/marketSocket.ts"
import { controlService } from "./control/controlService.ts"
import { guarded } from "./control/guard.ts"
import { activityTopic } from "./data/activityTopic.ts"
import { dataService } from "./data/dataService.ts"
import { faultInterceptor } from "./faults/interceptor.ts"
import { gammaService } from "./gamma/gammaService.ts"
import { Journal, journalIn, lockJournal } from "./Journal.ts"
import { cryptoPriceService } from "./oracle/cryptoPrice.ts"
import { datastreamsHandshake, datastreamsService, datastreamsSocket } from "./oracle/datastreams.ts"
import { polyboltSocket } from "./oracle/polybolt.ts"
import { rtdsSocket } from "./oracle/rtds.ts"
import { pageService } from "./page.ts"
import { pictureService } from "./pictures.ts"
import { Simulation } from "./Simulation.ts"
import { searxngService } from "./searxng/searxngService.ts"
import { makeServer } from "./server.ts"
import { sportsSocket } from "./sports/sportsSocket.ts"
import type { ScaleName } from "./world/scale.ts"
import { xService } from "./x/xService.ts"

export interface SimulatorOptions {
  readonly host: string
  readonly port: number
  readonly seed: number
  /** Undefined means now. */
  readonly genesis: number | undefined
  readonly scale: ScaleName
  /** Filled orders per second. */
  readonly rate: number
  /** Further games in play at any time, as `CatalogueOptions.games`. */
  readonly games?: number
  /** Directory of the journal; undefined disables it. */
  readonly directory: string | undefined
  /** Whether a Host header names this venue; its controls answer to no other. */
  readonly isKnownHost: (host: string) => boolean
  readonly onError: (error: unknown) => void
  /** Real time; defaults to the machine's clock. */
  readonly clock?: () => number
}

export interface RunningSimulator {
  readonly port: number
  readonly simulation: Simulation
  readonly stop: () => Promise<void>
}

/** Credentials of the simulated data streams; not a secret. */
export const simulatorCredentials = { clientId: "00000000-0000-4000-8000-000000000001", secret: "simulated-secret" }

/** Interval at which the world catches up with its clock. */
const tickMillis = 100

/** A venue that listens on all interfaces is reached on this machine. */
const addressOf = (host: string, port: number) => {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`
}

/** Starts the simulated venue on its port. */
export const startSimulator = async (options: SimulatorOptions): Promise<RunningSimulator> => {
  const path = options.directory === undefined ? undefined : journalIn(options.directory)
  const { seed, scale, genesis, rate, games } = options
  const release = path === undefined ? () => undefined : lockJournal(path)
  const journal = Journal.open(path, { seed, scale, genesis, rate, games })
  const simulation = new Simulation(journal, options.clock ?? Date.now)
  if (simulation.rate !== rate) simulation.setRate(rate)
  const datastreams = datastreamsService(simulation, simulatorCredentials)
  const server = makeServer(
    {
      services: {
        "/": pageService,
        "/_sim": guarded(controlService(simulation), options.isKnownHost),
        "/images": pictureService,
        "/rpc": rpcService(simulation),
        "/gamma": gammaService(simulation),
        "/clob": clobService(simulation),
        "/data": dataService(simulation),
        "/site": cryptoPriceService(simulation),
        "/searxng": searxngService(simulation),
        "/x": xService(simulation),
        "/datastreams": datastreams,
        // The official client drops any path prefix of its base URL.
        "/api/v1": (request) => datastreams({ ...request, path: `/api/v1${request.path === "/" ? "" : request.path}` }),
      },
      sockets: {
        "/rpc": { open: rpcSocket(simulation) },
        "/clob/ws/market": { open: marketSocket(simulation) },
        "/polybolt/ws": { open: polyboltSocket(simulation) },
        "/rtds": { open: rtdsSocket(simulation, [activityTopic(simulation)]) },
        "/sports/ws": { open: sportsSocket(simulation) },
        "/datastreams": {
          open: datastreamsSocket(simulation, simulatorCredentials),
          refuse: datastreamsHandshake(simulatorCredentials),
        },
      },
    },
    options.onError,
    faultInterceptor(simulation.faults, () => simulation.now()),
  )
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      release()
      reject(error)
    })
    server.listen(options.port, options.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  simulation.address = addressOf(options.host, port)
  const timer = setInterval(() => {
    try {
      simulation.tick()
    } catch (error) {
      options.onError(error)
    }
  }, tickMillis)
  return {
    port,
    simulation,
    stop: () => {
      clearInterval(timer)
      release()
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
