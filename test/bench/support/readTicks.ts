import { connect } from "node:net"
import { expose } from "./expose.ts"
import type { Reading } from "./ticks.ts"

export interface ReadTicks {
  readonly port: number
  readonly paths: ReadonlyArray<string>
  readonly key?: string
  /** Concurrently instead of sequentially. */
  readonly parallel?: boolean
}

export interface ReadTicksSubject {
  readonly read: (request: ReadTicks) => Promise<ReadonlyArray<Reading>>
}

const endOfHead = Buffer.from("\r\n\r\n")

/** Counts the bytes of a response without parsing them, so that the server is the bottleneck. */
const readOne = (port: number, path: string, key: string) =>
  new Promise<Reading>((resolve, reject) => {
    const since = performance.now()
    const socket = connect({ port, host: "127.0.0.1", noDelay: true })
    let head = Buffer.alloc(0)
    let first = 0
    let expected = -1
    let bytes = 0
    socket.on("error", reject)
    socket.on("close", () => reject(new Error(`connection closed after ${bytes} of ${expected} bytes`)))
    socket.on("connect", () => socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\n\r\n`))
    socket.on("data", (chunk) => {
      bytes += chunk.length
      if (expected === -1) {
        head = Buffer.concat([head, chunk])
        const end = head.indexOf(endOfHead)
        if (end === -1) return
        const text = head.toString("latin1", 0, end)
        const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
        if (!text.startsWith("HTTP/1.1 200") || length === undefined) return reject(new Error(`unexpected: ${text}`))
        expected = end + endOfHead.length + Number(length)
        first = performance.now() - since
      }
      if (bytes < expected) return
      resolve({ first, whole: performance.now() - since, bytes })
      socket.removeAllListeners("close").destroy()
    })
  })

expose<ReadTicksSubject>({
  read: async ({ port, paths, key = "", parallel = false }) => {
    if (parallel) return Promise.all(paths.map((path) => readOne(port, path, key)))
    const readings: Array<Reading> = []
    for (const path of paths) readings.push(await readOne(port, path, key))
    return readings
  },
})
