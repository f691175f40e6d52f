import { createServer, type Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Duplex } from "node:stream"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Duration, Effect, Layer, Scope } from "effect"
import * as HttpServer from "effect/unstable/http/HttpServer"
import * as NetAddress from "effect/unstable/net/NetAddress"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { Setting } from "#src/platform/config/Setting.ts"
import * as settings from "#src/platform/config/settings.ts"
import { type CannotListen, listenError, type PortTaken } from "#src/platform/http/listenErrors.ts"
import { Shutdown } from "#src/platform/process/Shutdown.ts"
import { makeObserver } from "../middleware/observe.ts"
import { answerBy, withFiberKnown } from "./deadline.ts"
import { drain } from "./drain.ts"
import { type Edge, Incoming, Reply, refuse } from "./Exchange.ts"
import { FastPath } from "./FastPath.ts"
import { receive, requestIdFor } from "./receive.ts"
import { inTurn, isHeldBack, watchTurns } from "./turns.ts"
import { cutUnread } from "./unread.ts"

/** Timeouts for clients, in milliseconds. */
export interface Timeouts {
  readonly headers: number
  readonly wholeRequest: number
  /** Longer than the idle time of common load balancers (60 s), so that they never send on a closing connection. */
  readonly keepAlive: number
  /** How long a client may read nothing of an answer. */
  readonly unread: number
  /** Bytes that a client has to read of a long answer in that time. */
  readonly leastRead: number
  readonly checkEvery: number
}
export const timeouts: Timeouts = {
  headers: 10_000,
  wholeRequest: 60_000,
  keepAlive: 65_000,
  unread: 60_000,
  leastRead: 16_384,
  checkEvery: 5_000,
}

const lingerMillis = 1000

/** A statement that Postgres cancelled still gets its own answer. */
const beyondStatementMillis = 1000

const makeServer = (limits: Timeouts): Server<typeof Incoming, typeof Reply> =>
  createServer<typeof Incoming, typeof Reply>({
    IncomingMessage: Incoming,
    ServerResponse: Reply,
    maxHeaderSize: 16_384,
    headersTimeout: limits.headers,
    requestTimeout: limits.wholeRequest,
    keepAliveTimeout: limits.keepAlive,
    connectionsCheckingInterval: limits.checkEvery,
    // Node would answer a missing Host with an empty body; `receive` sends a JSON error.
    requireHostHeader: false,
  })

const problems: Readonly<Record<string, readonly [status: number, reason: string, error: string]>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    "Request Header Fields Too Large",
    "The address and headers together are larger than 16 KB.",
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "Payload Too Large", "The chunk extensions are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout", "The request took too long to arrive."],
}
const malformed = [400, "Bad Request", "This is not a valid HTTP/1.1 request."] as const

/** Whether an answer is being written to the socket, so that no other may be mixed into it. */
const isAnswering = (socket: Duplex): boolean => {
  const message: unknown = Reflect.get(socket, "_httpMessage")
  return typeof message === "object" && message !== null && Reflect.get(message, "headersSent") === true
}

/** Answers input that Node could not parse as HTTP with a JSON error, then closes the connection. */
const answerClientErrors = (server: Server, lingerMillis: number, onAnswer: (status: number) => void) => {
  const answered = new WeakSet<Duplex>()
  server.on("clientError", (problem: NodeJS.ErrnoException, socket) => {
    if (answered.has(socket)) return
    if (problem.code === "ERR_HTTP_REQUEST_TIMEOUT" && isHeldBack(socket as Socket)) return
    answered.add(socket)
    if (!socket.writable || problem.code === "ECONNRESET" || isAnswering(socket)) {
      socket.destroy()
      return
    }
    const [status, reason, error] = problems[problem.code ?? ""] ?? malformed
    const body = JSON.stringify({ error })
    socket.end(
      `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
        `access-control-allow-origin: *\r\nx-request-id: ${requestIdFor(undefined)}\r\nconnection: close\r\n\r\n${body}`,
    )
    // Closing at once would reset the connection before the client has read the answer.
    setTimeout(() => socket.destroy(), lingerMillis).unref()
    onAnswer(status)
  })
}

const listen = (server: Server, host: string, port: number, { hostSetting, portSetting }: ListenSettings) =>
  Effect.callback<AddressInfo, PortTaken | CannotListen>((resume) => {
    const onError = (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(listenError(error, host, port, portSetting.env, hostSetting.env)))
    server.once("error", onError)
    server.listen({ host, port }, () => {
      server.off("error", onError)
      resume(Effect.succeed(server.address() as AddressInfo))
    })
  })

/** The settings that say where a server listens. */
export interface ListenSettings {
  readonly hostSetting: Setting<string>
  readonly portSetting: Setting<number>
}

/** Effect's HttpServer on a Node server that screens requests, drains on shutdown and answers malformed input. */
export const layer = (listening: ListenSettings, limits: Timeouts = timeouts) =>
  Layer.effect(
    HttpServer.HttpServer,
    Effect.gen(function* () {
      const config = yield* Configuration
      const shutdown = yield* Shutdown
      const observer = yield* makeObserver
      const fastPath = yield* FastPath
      const server = makeServer(limits)
      const edge: Edge = {
        bodyLimit: config.get(settings.httpBodyLimit),
        deadlineMillis: Duration.toMillis(config.get(settings.postgresStatementTimeout)) + beyondStatementMillis,
        draining: false,
        done: observer.done,
      }
      server.on("connection", watchTurns)
      cutUnread(server, limits.unread, limits.leastRead)
      answerClientErrors(server, lingerMillis, observer.unreadable)

      const bound = yield* Effect.acquireRelease(
        listen(server, config.get(listening.hostSetting), config.get(listening.portSetting), listening),
        () => Effect.sync(() => server.close()),
      )
      const run = Effect.runForkWith(yield* Effect.context<never>())
      server.on("error", (error) => run(Effect.logError("HTTP server error", error)))
      const address = yield* Effect.orDie(
        Effect.fromResult(NetAddress.inetAddressFromIpString(bound.address, bound.port)),
      )

      return HttpServer.make({
        address,
        serve: Effect.fnUntraced(function* (app, middleware) {
          const scope = yield* Effect.scope
          // Closed after the drain below, because finalizers run in reverse.
          const requests = Scope.forkUnsafe(scope, "parallel")
          const handle = yield* NodeHttpServer.makeHandler(withFiberKnown(app), { scope: requests, middleware })
          const handler = (request: Incoming, reply: Reply) => {
            answerBy(request, edge.deadlineMillis)
            handle(request, reply)
          }
          const onRequest = (event: string, answer: (request: Incoming, reply: Reply) => void) =>
            server.on(event, (request: Incoming, reply: Reply) =>
              inTurn(request, reply, () => {
                if (receive(edge, request, reply)) answer(request, reply)
              }),
            )
          onRequest("request", (request, reply) => {
            if (!fastPath.take(request, reply)) handler(request, reply)
          })
          onRequest("checkContinue", (request, reply) => {
            reply.writeContinue()
            handler(request, reply)
          })
          onRequest("checkExpectation", (_, reply) =>
            refuse(reply, 417, { error: "Only Expect: 100-continue is supported." }),
          )
          // Starts when the shutdown begins, because other parts may take long to stop.
          const drained = yield* Effect.cached(
            Effect.flatMap(shutdown.remaining, (grace) => drain(server, edge, grace)),
          )
          yield* Effect.forkIn(Effect.andThen(shutdown.begun, drained), scope)
          yield* Scope.addFinalizer(scope, drained)
        }),
      })
    }),
  )
