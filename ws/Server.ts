import { Effect, Layer } from "effect"
import { App, type HttpResponse, type TemplatedApp, us_listen_socket_close, us_socket_local_port } from "uws-pack"
import { Addresses } from "#src/platform/Addresses.ts"
import { Configuration } from "#src/platform/Configuration.ts"
import { Health } from "#src/platform/Health.ts"
import { type CannotListen, type PortTaken, whyNotListen } from "#src/platform/listening.ts"
import * as settings from "#src/platform/settings.ts"

/** Without it the kernel would let a second gateway share the port and split the clients between the two. */
const exclusivePort = 1

const answer = (response: HttpResponse, status: string, body: unknown): void => {
  response.cork(() => {
    response.writeStatus(status).writeHeader("content-type", "application/json").end(JSON.stringify(body))
  })
}

/** The gateway's socket server. The only file that knows uWebSockets. */
export const gatewayServer = Layer.effectDiscard(
  Effect.gen(function* () {
    const config = yield* Configuration
    const addresses = yield* Addresses
    const health = yield* Health
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const host = config.get(settings.host)
    const port = config.get(settings.wsPort)

    const app = App()
    app.get("/healthz", (response) => answer(response, "200 OK", { status: "ok" }))
    app.get("/readyz", (response) => {
      let aborted = false
      // uWebSockets ends the whole process when a request is answered later without this.
      response.onAborted(() => {
        aborted = true
      })
      fork(
        Effect.map(health.report, (report) => {
          if (!aborted) answer(response, report.status === "ready" ? "200 OK" : "503 Service Unavailable", report)
        }),
      )
    })
    app.any("/*", (response) =>
      answer(response, "404 Not Found", {
        error: "Not found.",
        hint: "This version of the gateway serves no streams yet.",
      }),
    )

    const socket = yield* Effect.acquireRelease(
      Effect.callback<ListenSocket, PortTaken | CannotListen>((resume) => {
        listen(app, host, port, (listening) =>
          resume(listening ? Effect.succeed(listening) : Effect.flip(whyNotListen(host, port, settings.wsPort.env))),
        )
      }),
      (listening) =>
        Effect.sync(() => {
          us_listen_socket_close(listening)
          app.close()
        }),
    )
    addresses.add("ws", `ws://localhost:${us_socket_local_port(socket as never)}/ws`)
  }),
)

type ListenSocket = Parameters<typeof us_listen_socket_close>[0]

/** uWebSockets takes a host and options together, which the published types leave out. */
const listen = (app: TemplatedApp, host: string, port: number, done: (socket: ListenSocket | false) => void) =>
  Reflect.apply(app.listen, app, [host, port, exclusivePort, done])
