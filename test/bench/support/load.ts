import { connect, type Socket } from "node:net"
import { answerAs } from "./answerAs.ts"
import { quantile } from "./statistics.ts"

export interface Volley {
  readonly port: number
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly connections: number
  readonly millis: number
}

export interface Hits {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Share of one core that the generator itself took: near 1, it is what was measured. */
  readonly busy: number
}

export interface LoadSubject {
  readonly fire: (volley: Volley) => Promise<Hits>
}

const endOfHead = Buffer.from("\r\n\r\n")

/** Bytes of the first whole answer in the buffer; undefined when more must come. */
const answerLength = (received: Buffer): number | undefined => {
  const end = received.indexOf(endOfHead)
  if (end === -1) return undefined
  const head = received.toString("latin1", 0, end)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (!head.startsWith("HTTP/1.1 200") || length === undefined) throw new Error(`unexpected answer: ${head}`)
  const whole = end + endOfHead.length + Number(length)
  return received.length >= whole ? whole : undefined
}

/**
 * One request at a time on each kept-alive connection. Lean, so that the server is what is measured: an answer
 * of the length of the one before that says 200 is taken as whole without being read.
 */
const fire = ({ port, path, headers = {}, connections, millis }: Volley): Promise<Hits> =>
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
      let usual = -1
      let rest: Buffer | undefined
      const send = () => {
        sentAt = performance.now()
        socket.write(request)
      }
      socket.once("connect", send)
      socket.on("error", fail)
      socket.on("data", (chunk) => {
        if (rest !== undefined || chunk.length !== usual || chunk[9] !== 0x32) {
          rest = rest === undefined ? chunk : Buffer.concat([rest, chunk])
          try {
            usual = answerLength(rest) ?? -1
          } catch (error) {
            return fail(error)
          }
          if (usual === -1) return
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

answerAs<LoadSubject>({ fire })
