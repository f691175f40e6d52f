import { Effect, FiberSet, Layer, Result } from "effect"
import {
  App,
  type HttpRequest,
  type HttpResponse,
  type TemplatedApp,
  us_listen_socket_close,
  us_socket_local_port,
  type WebSocket,
} from "uws-pack"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { type CannotListen, type PortTaken, whyNotListen } from "#src/platform/http/listening.ts"
import { Addresses } from "#src/platform/process/Addresses.ts"
import { Shutdown } from "#src/platform/process/Shutdown.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import type { Guest } from "#src/streams/access/Admission.ts"
import { wsBuffer, wsIdleTimeout, wsMaxMessage } from "#src/streams/settings.ts"
import type { Socket } from "./Connection.ts"
import { makeGateway } from "./Gateway.ts"
import type { Visit } from "./Session.ts"

/** Without it the kernel would let a second gateway share the port and split the clients between the two. */
const exclusivePort = 1

/** Past this many times `ws.buffer` a socket is closed at once, before anybody has looked at it. */
const hardLimit = 32

interface Attached {
  readonly guest: Guest
  visit?: Visit
}

const answer = (
  response: HttpResponse,
  status: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.cork(() => {
    response.writeStatus(status).writeHeader("content-type", "application/json")
    for (const [name, value] of Object.entries(headers)) response.writeHeader(name, value)
    response.end(JSON.stringify(body))
  })
}

const socketOf = (ws: WebSocket<Attached>): Socket => ({
  text: (text) => void ws.send(text, false),
  binary: (bytes) => void ws.send(bytes, true),
  subscribe: (topic) => void ws.subscribe(topic),
  unsubscribe: (topic) => void ws.unsubscribe(topic),
  together: (send) => void ws.cork(send),
  buffered: () => ws.getBufferedAmount(),
  end: (code, reason) => void ws.end(code, reason),
  cut: () => void ws.close(),
})

const headersOf = (request: HttpRequest): ReadonlyArray<readonly [string, string]> => {
  const headers: Array<readonly [string, string]> = []
  request.forEach((name, value) => {
    headers.push([name, value])
  })
  return headers
}

const asText = (bytes: ArrayBuffer) => Buffer.from(bytes).toString("utf8")

const statusLine = (status: number) => `${status} ${statusTexts[status] ?? "Refused"}`
const statusTexts: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  429: "Too Many Requests",
  503: "Service Unavailable",
}

/** The gateway's socket server. The only file that knows uWebSockets. */
export const gatewayServer = Layer.effectDiscard(
  Effect.gen(function* () {
    const config = yield* Configuration
    const addresses = yield* Addresses
    const health = yield* Health
    const shutdown = yield* Shutdown
    const run = yield* FiberSet.makeRuntime<never>()
    const host = config.get(settings.host)
    const port = config.get(settings.wsPort)

    const app = App()
    const gateway = yield* makeGateway({
      text: (topic, text) => void app.publish(topic, text, false),
      binary: (topic, bytes) => void app.publish(topic, bytes, true),
    })

    app.ws<Attached>("/ws", {
      maxPayloadLength: config.get(wsMaxMessage),
      idleTimeout: config.get(wsIdleTimeout),
      sendPingsAutomatically: true,
      maxBackpressure: config.get(wsBuffer) * hardLimit,
      closeOnBackpressureLimit: true,
      upgrade: (response, request, context) => {
        // uWebSockets ends the whole process when a request is answered later without this.
        let isAborted = false
        response.onAborted(() => {
          isAborted = true
        })
        // Of the request nothing is left once this returns.
        const [key, protocol, extensions] = [
          request.getHeader("sec-websocket-key"),
          request.getHeader("sec-websocket-protocol"),
          request.getHeader("sec-websocket-extensions"),
        ]
        const asked = {
          // Undefined where there is none, whatever its type says.
          query: request.getQuery() ?? "",
          headers: headersOf(request),
          peer: asText(response.getRemoteAddressAsText()),
        }
        run(
          Effect.map(Effect.result(gateway.admit(asked)), (outcome) => {
            if (isAborted) return
            if (Result.isFailure(outcome)) {
              const { status, body, headers } = outcome.failure
              answer(response, statusLine(status), body, headers)
            } else {
              const attached: Attached = { guest: outcome.success }
              response.cork(() => response.upgrade(attached, key, protocol, extensions, context))
            }
          }),
        )
      },
      open: (ws) => {
        const attached = ws.getUserData()
        attached.visit = gateway.opened(socketOf(ws), attached.guest)
      },
      message: (ws, message, isBinary) => ws.getUserData().visit?.said(isBinary ? undefined : asText(message)),
      drain: (ws) => ws.getUserData().visit?.drained(),
      close: (ws) => ws.getUserData().visit?.closed(),
    })

    app.get("/healthz", (response) => answer(response, "200 OK", { status: "ok" }))
    app.get("/readyz", (response) => {
      let isAborted = false
      response.onAborted(() => {
        isAborted = true
      })
      run(
        Effect.map(health.report, (report) => {
          if (!isAborted) answer(response, report.status === "ready" ? "200 OK" : "503 Service Unavailable", report)
        }),
      )
    })
    app.any("/ws", (response) =>
      answer(
        response,
        "426 Upgrade Required",
        {
          error: "This address speaks WebSocket.",
          hint: "Connect with a WebSocket client to ws://…/ws?key=<API_KEY>.",
        },
        { upgrade: "websocket" },
      ),
    )
    app.any("/*", (response) =>
      answer(response, "404 Not Found", { error: "Not found.", hint: "The streams are at /ws?key=<API_KEY>." }),
    )

    const listening = yield* Effect.acquireRelease(
      Effect.callback<ListenSocket, PortTaken | CannotListen>((resume) => {
        listen(app, host, port, (socket) =>
          resume(socket ? Effect.succeed(socket) : Effect.flip(whyNotListen(host, port, settings.wsPort.env))),
        )
      }),
      () => Effect.sync(() => app.close()),
    )
    const stop = Effect.andThen(
      Effect.sync(() => us_listen_socket_close(listening)),
      gateway.dismissAll,
    )
    yield* Effect.forkScoped(Effect.andThen(shutdown.begun, stop))
    addresses.add("ws", `ws://localhost:${us_socket_local_port(listening as never)}/ws`)
  }),
)

type ListenSocket = Parameters<typeof us_listen_socket_close>[0]

/** uWebSockets takes a host and options together, which the published types leave out. */
const listen = (app: TemplatedApp, host: string, port: number, done: (socket: ListenSocket | false) => void) =>
  Reflect.apply(app.listen, app, [host, port, exclusivePort, done])
