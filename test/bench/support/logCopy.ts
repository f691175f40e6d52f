import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expose } from "./expose.ts"
import { type LogServerSubject, requestsOf } from "./venue.ts"

/** Serves copies of another server's responses, stored by `keep` and sent by `send`. */
export const serveCopies = <A>(keep: (text: string) => A, send: (kept: A) => string | Buffer): void => {
  const kept = new Map<string, A>()
  const server = createServer((incoming, outgoing) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      const page = kept.get(Buffer.concat(chunks).toString())
      if (page === undefined) outgoing.writeHead(404).end()
      else outgoing.writeHead(200, { "content-type": "application/json" }).end(send(page))
    })
  })
  expose<LogServerSubject>({
    copy: async (port, range) => {
      for (const body of requestsOf(range)) {
        const response = await fetch(`http://127.0.0.1:${port}/rpc`, { method: "POST", body })
        kept.set(body, keep(await response.text()))
      }
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return (server.address() as AddressInfo).port
    },
  })
}
