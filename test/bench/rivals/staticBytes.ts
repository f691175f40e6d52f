import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expose } from "../support/expose.ts"
import { monitorSelf } from "../support/monitorSelf.ts"
import type { StaticBytesSubject } from "../support/ticks.ts"

/** Sends prepared bytes of a given length: the upper limit for any response of that length. */
expose<StaticBytesSubject>({
  ...monitorSelf(),
  listen: (length) => {
    const bytes = Buffer.alloc(length, "x")
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": length })
      response.end(bytes)
    })
    return new Promise((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
    })
  },
})
