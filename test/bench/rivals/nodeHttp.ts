import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expose } from "../support/expose.ts"
import type { Bodies, HttpSubject } from "../support/http.ts"

/** Node's bare server: the upper limit for any framework built on it. */
let bodies: Bodies = {}
const server = createServer((request, response) => {
  const text = JSON.stringify(bodies[request.url ?? "/"])
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
  response.end(text)
})

expose<HttpSubject>({
  listen: (responses) => {
    bodies = responses
    return new Promise((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
    })
  },
})
