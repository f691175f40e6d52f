import { Agent, request as send } from "node:http"
import { expose } from "./expose.ts"
import { quantile } from "./statistics.ts"

export interface PageLoadOptions {
  readonly port: number
  readonly paths: ReadonlyArray<string>
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  /** Sent with POST; otherwise requests are GET. */
  readonly body?: string
}

export interface PageLoadResult {
  readonly count: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly longest: number
  /** Average size of a response. */
  readonly bytes: number
}

export interface PageLoadSubject {
  /** Requests every path once, in random order. */
  readonly run: (options: PageLoadOptions) => Promise<PageLoadResult>
}

const shuffled = (paths: ReadonlyArray<string>) =>
  paths
    .map((path) => ({ path, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ path }) => path)

const run = async ({ port, paths, headers, connections, body }: PageLoadOptions): Promise<PageLoadResult> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const waiting = shuffled(paths)
  const latencies: Array<number> = []
  let bytes = 0
  const request = (path: string) =>
    new Promise<void>((resolve, reject) => {
      const since = performance.now()
      const method = body === undefined ? "GET" : "POST"
      const sent = { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) }
      const asked = send({ port, path, method, headers: sent, host: "127.0.0.1", agent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${path} returned ${response.statusCode}`))
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length
        })
        response.on("end", () => {
          latencies.push(performance.now() - since)
          resolve()
        })
      })
      asked.on("error", reject)
      asked.end(body)
    })
  const one = async () => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) await request(path)
  }
  const since = performance.now()
  await Promise.all(Array.from({ length: connections }, one))
  const seconds = (performance.now() - since) / 1000
  agent.destroy()
  return {
    count: latencies.length,
    perSecond: latencies.length / seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    longest: Math.max(...latencies),
    bytes: bytes / latencies.length,
  }
}

expose<PageLoadSubject>({ run })
