import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Scope } from "effect"
import * as HttpServer from "effect/unstable/http/HttpServer"
import * as NetAddress from "effect/unstable/net/NetAddress"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { Setting } from "#src/platform/config/Setting.ts"
import * as settings from "#src/platform/config/settings.ts"
import { type CannotListen, listeningError, type PortTaken } from "#src/platform/http/listening.ts"
import { Shutdown } from "#src/platform/process/Shutdown.ts"
import { makeObserver } from "../middleware/observe.ts"
import { admit } from "./admit.ts"
import { answerClientErrors } from "./clientError.ts"
import { drain } from "./drain.ts"
import { type Edge, Incoming, Reply, refuse } from "./Exchange.ts"
import { ShortCut } from "./ShortCut.ts"

/** How patient the server is with a client, in milliseconds. */
export interface Patience {
  readonly headers: number
  readonly wholeRequest: number
  /** Longer than the idle time of common load balancers (60 s), so that they never send into a closing connection. */
  readonly keepAlive: number
  readonly checkEvery: number
}
export const patience: Patience = { headers: 10_000, wholeRequest: 60_000, keepAlive: 65_000, checkEvery: 5_000 }

const lingerMillis = 1000

const makeServer = (limits: Patience): Server<typeof Incoming, typeof Reply> =>
  createServer<typeof Incoming, typeof Reply>({
    IncomingMessage: Incoming,
    ServerResponse: Reply,
    maxHeaderSize: 16_384,
    headersTimeout: limits.headers,
    requestTimeout: limits.wholeRequest,
    keepAliveTimeout: limits.keepAlive,
    connectionsCheckingInterval: limits.checkEvery,
    // Node would answer a missing Host with an empty body; `admit` does it in our form.
    requireHostHeader: false,
  })

const listen = (server: Server, host: string, port: number, variable: string) =>
  Effect.callback<AddressInfo, PortTaken | CannotListen>((resume) => {
    const onError = (error: NodeJS.ErrnoException) => resume(Effect.fail(listeningError(error, host, port, variable)))
    server.once("error", onError)
    server.listen({ host, port }, () => {
      server.off("error", onError)
      resume(Effect.succeed(server.address() as AddressInfo))
    })
  })

/** Effect's HttpServer on a Node server that admits, drains and answers hostile input as this service promises. */
export const layer = (portSetting: Setting<number>, limits: Patience = patience) =>
  Layer.effect(
    HttpServer.HttpServer,
    Effect.gen(function* () {
      const config = yield* Configuration
      const shutdown = yield* Shutdown
      const observer = yield* makeObserver
      const shortCut = yield* ShortCut
      const server = makeServer(limits)
      const edge: Edge = { bodyLimit: config.get(settings.httpBodyLimit), draining: false, done: observer.done }
      answerClientErrors(server, lingerMillis, observer.unreadable)

      const bound = yield* Effect.acquireRelease(
        listen(server, config.get(settings.host), config.get(portSetting), portSetting.env),
        () => Effect.sync(() => server.close()),
      )
      const run = Effect.runForkWith(yield* Effect.context<never>())
      server.on("error", (error) => run(Effect.logError("the HTTP server reports an error", error)))
      const address = yield* Effect.orDie(
        Effect.fromResult(NetAddress.inetAddressFromIpString(bound.address, bound.port)),
      )

      return HttpServer.make({
        address,
        serve: Effect.fnUntraced(function* (app, middleware) {
          const scope = yield* Effect.scope
          // Closed after the drain below, because finalizers run in reverse.
          const requests = Scope.forkUnsafe(scope, "parallel")
          const handler = yield* NodeHttpServer.makeHandler(app, { scope: requests, middleware })
          server.on("request", (request, reply) => {
            if (admit(edge, request, reply) && !shortCut.take(request, reply)) handler(request, reply)
          })
          server.on("checkContinue", (request, reply) => {
            if (!admit(edge, request, reply)) return
            reply.writeContinue()
            handler(request, reply)
          })
          server.on("checkExpectation", (request, reply) => {
            if (admit(edge, request, reply)) refuse(reply, 417, { error: "Only Expect: 100-continue is understood." })
          })
          // When the shutdown begins, not when its turn comes: other parts may take their time to stop.
          const drained = yield* Effect.cached(
            Effect.flatMap(shutdown.remaining, (grace) => drain(server, edge, grace)),
          )
          yield* Effect.forkIn(Effect.andThen(shutdown.begun, drained), scope)
          yield* Scope.addFinalizer(scope, drained)
        }),
      })
    }),
  )
