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
import { protocolOf } from "#src/access/AccessRequest.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { type CannotListen, diagnoseListenFailure, type PortTaken } from "#src/platform/http/listenErrors.ts"
import { localHost } from "#src/platform/http/localHost.ts"
import { Addresses } from "#src/platform/process/Addresses.ts"
import { Shutdown } from "#src/platform/process/Shutdown.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { wsBuffer, wsIdleTimeout, wsMaxMessage } from "#src/streams/settings.ts"
import type { Socket } from "./Connection.ts"
import { endReason } from "./endReason.ts"
import { makeGateway } from "./Gateway.ts"
import { holdResponse } from "./heldResponse.ts"
import { checkingHead, refusedForHead } from "./requestHead.ts"
import type { Session } from "./Session.ts"

/** Without it, the kernel lets a second gateway share the port and splits the clients between the two. */
const exclusivePort = 1

/** Beyond this multiple of `ws.buffer`, uWebSockets closes a socket immediately. */
const hardLimit = 32

/** Beyond this multiple of `ws.max-message`, uWebSockets drops the connection without a close frame. */
const messageLimit = 2

/** uWebSockets copies these fields to an object of its own. */
interface SocketData {
  /** The socket, from its opening to its end. */
  readonly opened: { ws?: WebSocket<SocketData> }
  session?: Session
}

const respond = (
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

const socketOf = (ws: WebSocket<SocketData>): Socket => ({
  text: (text) => void ws.send(text, false),
  binary: (bytes) => void ws.send(bytes, true),
  subscribe: (topic) => void ws.subscribe(topic),
  unsubscribe: (topic) => void ws.unsubscribe(topic),
  cork: (send) => void ws.cork(send),
  buffered: () => ws.getBufferedAmount(),
  end: (code, reason) => void ws.end(code, reason),
  terminate: () => void ws.close(),
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

/** The WebSocket server of the gateway. The only file that runs code of uWebSockets. */
export const gatewayServer = Layer.effectDiscard(
  Effect.gen(function* () {
    const config = yield* Configuration
    const addresses = yield* Addresses
    const health = yield* Health
    const shutdown = yield* Shutdown
    const run = yield* FiberSet.makeRuntime<never>()
    const host = config.get(settings.host)
    const port = config.get(settings.wsPort)
    const maxMessage = config.get(wsMaxMessage)

    const app = App()
    const gateway = yield* makeGateway({
      text: (topic, text) => void app.publish(topic, text, false),
      binary: (topic, bytes) => void app.publish(topic, bytes, true),
    })

    const held = holdResponse(app)

    app.ws<SocketData>("/ws", {
      maxPayloadLength: maxMessage * messageLimit,
      idleTimeout: config.get(wsIdleTimeout),
      sendPingsAutomatically: true,
      maxBackpressure: config.get(wsBuffer) * hardLimit,
      closeOnBackpressureLimit: true,
      upgrade: (response, request, context) => {
        if (refusedForHead(response, request)) return
        // Without this handler, uWebSockets ends the whole process when a request is answered asynchronously.
        let isAborted = false
        response.onAborted(() => {
          isAborted = true
        })
        // The request is invalid once this function returns.
        const [key, protocol, extensions] = [
          request.getHeader("sec-websocket-key"),
          protocolOf(request.getHeader("sec-websocket-protocol")),
          request.getHeader("sec-websocket-extensions"),
        ]
        const upgrade = {
          // Undefined if there is no query, despite its type.
          query: request.getQuery() ?? "",
          headers: headersOf(request),
          peer: asText(response.getRemoteAddressAsText()),
        }
        run(
          Effect.map(Effect.result(gateway.admit(upgrade)), (admission) => {
            if (isAborted) return
            if (Result.isFailure(admission)) {
              const { status, body, headers } = admission.failure
              respond(response, statusLine(status), body, headers)
            } else {
              // Never inside the parser of another request: its upgrade would be mixed up with this one.
              setImmediate(() => {
                if (isAborted) return
                const opened: SocketData["opened"] = {}
                held.upgrade(response, () =>
                  response.upgrade<SocketData>({ opened }, key, protocol, extensions, context),
                )
                if (opened.ws === undefined) return gateway.dropped()
                const session = gateway.open(socketOf(opened.ws), admission.success)
                opened.ws.getUserData().session = session
                gateway.limitOpened(session)
              })
            }
          }),
        )
      },
      // Nothing else may happen here: without a held response, an allocation could get the socket closed.
      open: (ws) => {
        ws.getUserData().opened.ws = ws
      },
      message: (ws, message, isBinary) => {
        const { session } = ws.getUserData()
        if (message.byteLength > maxMessage) session?.connection.close("tooBig")
        else session?.onMessage(isBinary ? undefined : asText(message))
      },
      drain: (ws) => ws.getUserData().session?.onDrain(),
      close: (ws, code, text) => {
        const data = ws.getUserData()
        delete data.opened.ws
        data.session?.onClose(endReason(code, asText(text)))
      },
    })

    app.get(
      "/healthz",
      checkingHead((response) => respond(response, "200 OK", { status: "ok" })),
    )
    app.get(
      "/readyz",
      checkingHead((response) => {
        let isAborted = false
        response.onAborted(() => {
          isAborted = true
        })
        run(
          Effect.map(health.report, (report) => {
            if (!isAborted) respond(response, report.status === "ready" ? "200 OK" : "503 Service Unavailable", report)
          }),
        )
      }),
    )
    app.any(
      "/ws",
      checkingHead((response) =>
        respond(
          response,
          "426 Upgrade Required",
          {
            error: "This endpoint requires a WebSocket connection.",
            hint: "Connect with a WebSocket client to ws://…/ws?key=<API_KEY>.",
          },
          { upgrade: "websocket" },
        ),
      ),
    )
    app.any(
      "/*",
      checkingHead((response) =>
        respond(response, "404 Not Found", { error: "Not found.", hint: "The streams are at /ws?key=<API_KEY>." }),
      ),
    )

    const listening = yield* Effect.acquireRelease(
      Effect.callback<ListenSocket, PortTaken | CannotListen>((resume) => {
        listen(app, host, port, (socket) =>
          resume(socket ? Effect.succeed(socket) : Effect.flip(diagnoseListenFailure(host, port, settings.wsPort.env))),
        )
      }),
      () => Effect.sync(() => app.close()),
    )
    const stop = Effect.andThen(
      Effect.sync(() => us_listen_socket_close(listening)),
      gateway.closeAll,
    )
    yield* Effect.forkScoped(Effect.andThen(shutdown.begun, stop))
    const listeningPort = us_socket_local_port(listening as never)
    yield* held.connect(localHost(host), listeningPort)
    addresses.add("ws", `ws://localhost:${listeningPort}/ws`)
  }),
)

type ListenSocket = Parameters<typeof us_listen_socket_close>[0]

/** uWebSockets accepts a host together with options, which its published types omit. */
const listen = (app: TemplatedApp, host: string, port: number, done: (socket: ListenSocket | false) => void) =>
  Reflect.apply(app.listen, app, [host, port, exclusivePort, done])
