import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { answerAs } from "../support/answerAs.ts"
import type { StaticTicksSubject } from "../support/ticks.ts"
import { watchSelf } from "../support/watchSelf.ts"

/** So many bytes that are there already: what no answer of this length can beat. */
answerAs<StaticTicksSubject>({
  ...watchSelf(),
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
