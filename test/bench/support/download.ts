import { get } from "node:http"
import { expose } from "./expose.ts"

export interface Download {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Downloaded {
  /** Milliseconds until the first byte of the body, and until the last. */
  readonly first: number
  readonly whole: number
  readonly bytes: number
  /** The end of the body. */
  readonly tail: string
}

export interface DownloadSubject {
  /** Downloads all concurrently. */
  readonly read: (downloads: ReadonlyArray<Download>) => Promise<ReadonlyArray<Downloaded>>
}

/** Counts the bytes of a response without parsing them, so that the server is the bottleneck. */
const readOne = ({ port, path, headers }: Download) =>
  new Promise<Downloaded>((resolve, reject) => {
    const since = performance.now()
    const request = get({ port, path, headers, host: "127.0.0.1", agent: false }, (response) => {
      let first = 0
      let bytes = 0
      let last: Buffer = Buffer.alloc(0)
      response.on("error", reject)
      response.on("data", (chunk: Buffer) => {
        if (bytes === 0) first = performance.now() - since
        bytes += chunk.length
        last = chunk.length < 400 ? Buffer.concat([last.subarray(-400), chunk]) : chunk
      })
      response.on("end", () => {
        const tail = last.toString("utf8", Math.max(0, last.length - 400))
        if (response.statusCode !== 200) return reject(new Error(`${path}: ${response.statusCode} ${tail}`))
        resolve({ first, whole: performance.now() - since, bytes, tail })
      })
    })
    request.on("error", reject)
  })

expose<DownloadSubject>({ read: (downloads) => Promise.all(downloads.map(readOne)) })
