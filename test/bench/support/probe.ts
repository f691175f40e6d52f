import { Agent, get } from "node:http"
import { expose } from "./expose.ts"

export interface ProbeSubject {
  /** Sends a request every `everyMillis`, without waiting for earlier responses. */
  readonly start: (port: number, path: string, everyMillis: number) => Promise<void>
  /** Latency of each request in milliseconds. */
  readonly stop: () => Promise<ReadonlyArray<number>>
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })
let timer: NodeJS.Timeout | undefined
let latencies: Array<number> = []

const request = (port: number, path: string) => {
  const since = performance.now()
  get({ port, path, host: "127.0.0.1", agent }, (response) => {
    if (response.statusCode !== 200) throw new Error(`${path} returned ${response.statusCode}`)
    response.resume().on("end", () => latencies.push(performance.now() - since))
  })
}

expose<ProbeSubject>({
  start: async (port, path, everyMillis) => {
    latencies = []
    timer = setInterval(() => request(port, path), everyMillis)
  },
  stop: async () => {
    clearInterval(timer)
    return latencies
  },
})
