import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

/** An HTTP collector that records what it receives. */
export const collector = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly bodies: Map<string, string>; readonly close: () => void }>(
    (resume) => {
      const bodies = new Map<string, string>()
      const server = createServer((request, response) => {
        let body = ""
        request.setEncoding("utf8").on("data", (chunk) => {
          body += chunk
        })
        request.on("end", () => {
          bodies.set(request.url ?? "", (bodies.get(request.url ?? "") ?? "") + body)
          response.setHeader("content-type", "application/json").end("{}")
        })
      })
      server.listen(0, "127.0.0.1", () =>
        resume(
          Effect.succeed({
            url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
            bodies,
            close: () => server.close(),
          }),
        ),
      )
    },
  ),
  ({ close }) => Effect.sync(close),
)
