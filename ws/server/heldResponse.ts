import { randomUUID } from "node:crypto"
import { connect } from "node:net"
import { Effect } from "effect"
import type { HttpResponse, TemplatedApp } from "uws-pack"

/**
 * A response of this server that is never ended, so that other responses can be upgraded inside its `cork`.
 *
 * When `cork` returns after its own response was upgraded, uWebSockets reads the state of that response from memory it
 * has freed. It closes the socket if an allocation has set certain bits there, for example one of the garbage
 * collector. Upstream fixed it in fe7c01a, which no version of uws-pack contains.
 */
export const holdResponse = (app: TemplatedApp) => {
  const path = `/${randomUUID()}`
  let held: HttpResponse | undefined
  let holding = () => {}
  app.get(path, (response) => {
    response.onAborted(() => {
      held = undefined
    })
    held = response
    holding()
  })
  return {
    /** Requests the response from this server. Keeps the connection until the scope closes. */
    connect: (host: string, port: number) =>
      Effect.acquireRelease(
        Effect.sync(() => connect(port, host)),
        (socket) => Effect.sync(() => socket.destroy()),
      ).pipe(
        Effect.flatMap((socket) =>
          Effect.callback<void, Error>((resume) => {
            holding = () => resume(Effect.void)
            socket.unref().on("error", (error) => resume(Effect.fail(error)))
            socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
          }),
        ),
        Effect.timeout("5 seconds"),
        Effect.catch((error) => Effect.logWarning("a socket may be cut when it opens: no response is held", error)),
      ),
    /** Upgrades a response. `upgrade` writes to the network at once, in several pieces. */
    upgrade: (response: HttpResponse, upgrade: () => void): void => void (held ?? response).cork(upgrade),
  }
}
