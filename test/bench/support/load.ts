import { connect, type Socket } from "node:net"
import { expose } from "./expose.ts"
import { quantile } from "./statistics.ts"

export interface LoadOptions {
  readonly port: number
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly connections: number
  readonly millis: number
}

export interface LoadResult {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Share of one core used by the load generator: near 1, the generator is the bottleneck. */
  readonly busy: number
}

export interface LoadSubject {
  readonly run: (options: LoadOptions) => Promise<LoadResult>
}

const endOfHead = Buffer.from("\r\n\r\n")

/** Length of the first complete response in the buffer; undefined if it is incomplete. */
const responseLength = (received: Buffer): number | undefined => {
  const end = received.indexOf(endOfHead)
  if (end === -1) return undefined
  const head = received.toString("latin1", 0, end)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (!head.startsWith("HTTP/1.1 200") || length === undefined) throw new Error(`unexpected response: ${head}`)
  const whole = end + endOfHead.length + Number(length)
  return received.length >= whole ? whole : undefined
}

/**
 * One request at a time on each keep-alive connection. Minimal, so that the server is the bottleneck: a 200 response
 * with the length of the previous one counts as complete without being parsed.
 */
const run = ({ port, path, headers = {}, connections, millis }: LoadOptions): Promise<LoadResult> =>
  new Promise((resolve, reject) => {
    const lines = Object.entries({ host: `127.0.0.1:${port}`, accept: "application/json", ...headers })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
    const request = Buffer.from(`GET ${path} HTTP/1.1\r\n${head}\r\n`)
    const latencies: Array<number> = []
    const sockets: Array<Socket> = []
    const startedAt = performance.now()
    const stopAt = startedAt + millis
    const cpu = process.cpuUsage()
    let open = connections

    const done = () => {
      const seconds = (performance.now() - startedAt) / 1000
      const { user, system } = process.cpuUsage(cpu)
      resolve({
        perSecond: latencies.length / seconds,
        p50: quantile(latencies, 0.5),
        p99: quantile(latencies, 0.99),
        busy: (user + system) / 1e6 / seconds,
      })
    }
    const fail = (error: unknown) => {
      for (const socket of sockets) socket.destroy()
      reject(error)
    }
    for (let i = 0; i < connections; i++) {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true })
      sockets.push(socket)
      let sentAt = 0
      let expectedLength = -1
      let rest: Buffer | undefined
      const send = () => {
        sentAt = performance.now()
        socket.write(request)
      }
      socket.once("connect", send)
      socket.on("error", fail)
      socket.on("data", (chunk) => {
        if (rest !== undefined || chunk.length !== expectedLength || chunk[9] !== 0x32) {
          rest = rest === undefined ? chunk : Buffer.concat([rest, chunk])
          try {
            expectedLength = responseLength(rest) ?? -1
          } catch (error) {
            return fail(error)
          }
          if (expectedLength === -1) return
          rest = undefined
        }
        const now = performance.now()
        latencies.push(now - sentAt)
        if (now < stopAt) return send()
        socket.destroy()
        if (--open === 0) done()
      })
    }
  })

expose<LoadSubject>({ run })
