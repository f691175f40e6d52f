import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { answerAs } from "../support/answerAs.ts"
import type { Bodies, HttpSubject } from "../support/http.ts"

/** Nothing but Node's server: what no framework on it can beat. */
let bodies: Bodies = {}
const server = createServer((request, response) => {
  const text = JSON.stringify(bodies[request.url ?? "/"])
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
  response.end(text)
})

answerAs<HttpSubject>({
  listen: (given) => {
    bodies = given
    return new Promise((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
    })
  },
})
