import { Agent, type IncomingMessage, request } from "node:http"
import { text } from "node:stream/consumers"
import { expose } from "./expose.ts"
import { quantile } from "./statistics.ts"

export interface PollingOptions {
  readonly port: number
  readonly key: string
  readonly paths: ReadonlyArray<string>
  readonly clients: number
  readonly everyMillis: number
  readonly millis: number
}

export interface PollingResult {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly refused: number
  /** The answer to the first refused request. */
  readonly refusal: string | undefined
}

export interface PollingSubject {
  /** Clients with a connection each, which ask for one path at equal distances in time. */
  readonly run: (options: PollingOptions) => Promise<PollingResult>
}

const run = async ({ port, key, paths, clients, everyMillis, millis }: PollingOptions): Promise<PollingResult> => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients, maxFreeSockets: clients, scheduling: "fifo" })
  const latencies: Array<number> = []
  const refusals: Array<string> = []
  const ask = async (path: string) => {
    const since = performance.now()
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ port, host: "127.0.0.1", path, headers: { "x-api-key": key }, agent }, resolve)
        .on("error", reject)
        .end()
    })
    const body = await text(answer)
    latencies.push(performance.now() - since)
    if (answer.statusCode !== 200) refusals.push(`${path}: ${answer.statusCode} ${body}`)
  }
  const stopAt = performance.now() + millis
  const client = async (index: number) => {
    const path = paths[index % paths.length] ?? ""
    let due = performance.now() + (everyMillis * index) / clients
    while (due < stopAt) {
      await new Promise((resolve) => setTimeout(resolve, due - performance.now()))
      await ask(path)
      due += everyMillis
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
  agent.destroy()
  return {
    count: latencies.length,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    refused: refusals.length,
    refusal: refusals[0],
  }
}

expose<PollingSubject>({ run })
