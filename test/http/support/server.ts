import { Effect, Layer, Logger, References, Tracer } from "effect"
import type * as HttpRouter from "effect/unstable/http/HttpRouter"
import * as HttpServer from "effect/unstable/http/HttpServer"
import { isInetAddress } from "effect/unstable/net/NetAddress"
import { ApiServer, OpsServer, serve } from "#http/Server.ts"
import { type Timeouts, timeouts } from "#http/server/NodeServer.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { platformSettings, port } from "#src/platform/config/settings.ts"
import { Shutdown } from "#src/platform/process/Shutdown.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { serving } from "./serving.ts"
import { SlowRequests, TestRoutes } from "./TestApi.ts"

export const configuration = (env: Record<string, string> = {}) =>
  Configuration.layer({
    declared: platformSettings,
    file: { path: "", values: {} },
    env: { PORT: "0", HOST: "127.0.0.1", POSTGRES_STATEMENT_TIMEOUT: "1m", ...env },
    flags: {},
  })

export interface LogLine {
  readonly level: string
  readonly text: string
  readonly cause: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** Captures all logs and spans. */
export const recorder = () => {
  const lines: Array<LogLine> = []
  const spans: Array<Tracer.Span> = []
  const logger = Logger.make<unknown, void>(({ logLevel, message, cause, fiber }) => {
    lines.push({
      level: logLevel,
      text: [message].flat().map(String).join(" "),
      cause: String(cause),
      annotations: { ...fiber.getRef(References.CurrentLogAnnotations) },
    })
  })
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    },
  })
  const logged = Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "Debug"))
  return { lines, spans, logged, traced: Layer.succeed(Tracer.Tracer, tracer) }
}

/** Port of the server in the current context. */
export const boundPort = Effect.map(HttpServer.HttpServer, ({ address }) => (isInetAddress(address) ? address.port : 0))

const quiet = Logger.layer([])

const process = Shutdown.layer.pipe(Layer.provideMerge(Health.layer))

interface TestServerOptions {
  readonly env?: Record<string, string>
  readonly timeouts?: Timeouts
  /** Routes beside those of the test API. */
  readonly routes?: ReturnType<typeof HttpRouter.add<never, SlowRequests>>
}

export const testServer = (options: TestServerOptions = {}) =>
  serve(Layer.mergeAll(TestRoutes, options.routes ?? Layer.empty), port, options.timeouts ?? timeouts).pipe(
    Layer.provideMerge(Layer.mergeAll(SlowRequests.layer, process)),
    Layer.provideMerge(configuration(options.env)),
  )

/** The whole API with its own stores. */
export const apiServer = ApiServer.pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(testFoundation({ port: "0", host: "127.0.0.1" })),
)
export const opsServer = OpsServer.pipe(
  Layer.provideMerge(process),
  Layer.provide([configuration({ HOST: "0.0.0.0" }), quiet]),
)
