import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Layer } from "effect"
import * as Headers from "effect/unstable/http/Headers"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import * as PrometheusMetrics from "effect/unstable/observability/PrometheusMetrics"
import { AnswerCache } from "#src/caching/AnswerCache.ts"
import { Tags } from "#src/catalogue/Tags.ts"
import { Leaderboards } from "#src/leaderboards/Leaderboards.ts"
import type { Setting } from "#src/platform/config/Setting.ts"
import * as settings from "#src/platform/config/settings.ts"
import { version } from "#src/platform/process/version.ts"
import { TickSegments } from "#src/ticks/segments/TickSegments.ts"
import { Api, OpsApi } from "./Api.ts"
import { Gatekeeper } from "./access/Gatekeeper.ts"
import { asyncapiDocument } from "./asyncapi.ts"
import { CachedAnswers } from "./caching/CachedAnswers.ts"
import { CopyPnlHandlers } from "./copy-pnl/handlers.ts"
import { CryptoHandlers } from "./crypto/handlers.ts"
import { docs } from "./docs.ts"
import { EventsHandlers } from "./events/handlers.ts"
import { KeysHandlers } from "./keys/handlers.ts"
import { LeaderboardsHandlers } from "./leaderboards/handlers.ts"
import { livePage } from "./live/routes.ts"
import { answerErrors } from "./middleware/answerErrors.ts"
import { GateLive } from "./middleware/GateLive.ts"
import { metricsGuard } from "./middleware/metricsGuard.ts"
import { requestIdInLogs } from "./middleware/requestIdInLogs.ts"
import { StrictInputLive } from "./middleware/StrictInputLive.ts"
import { WalletsHandlers } from "./positions/handlers.ts"
import * as NodeServer from "./server/NodeServer.ts"
import { RouteTable, recordedRouter, routerConfig } from "./server/RouteTable.ts"
import { ShortCut } from "./server/ShortCut.ts"
import { StatusHandlers } from "./status/handlers.ts"
import { SystemHandlers } from "./system/handlers.ts"
import { TicksHandlers } from "./ticks/handlers.ts"
import { TradesHandlers } from "./trades/handlers.ts"
import { UsageHandlers } from "./usage/handlers.ts"
import { WebhooksHandlers } from "./webhooks/handlers.ts"

/** For the person who opens the bare address. */
const welcome = HttpRouter.add(
  "GET",
  "/",
  HttpServerResponse.jsonUnsafe({
    name: "Presage",
    version,
    live: "/live",
    docs: "/docs",
    openapi: "/openapi.json",
    asyncapi: "/asyncapi.json",
    ready: "/readyz",
    metrics: "/metrics",
  }),
)

const metrics = PrometheusMetrics.layerHttp({ path: "/metrics" }).pipe(Layer.provide(metricsGuard))

/**
 * Headers that may be written to spans. Others may hold a key: by intention, by mistake, or in an address like that of
 * the page before.
 */
const harmless = ["accept", "accept-encoding", "connection", "content-length", "content-type", "host", "traceparent"]
const redactedHeaders = Layer.succeed(Headers.CurrentRedactedNames, [
  new RegExp(`^(?!(${harmless.join("|")}|x-ratelimit-.*|x-request-id)$)`),
])

/** Serves routes on the port of a setting, with everything that all routes of this service share. */
export const serve = <A, E, R>(
  routes: Layer.Layer<A, E, R>,
  port: Setting<number>,
  patience: NodeServer.Patience = NodeServer.patience,
) =>
  HttpRouter.serve(
    Layer.mergeAll(answerErrors, routes.pipe(Layer.provide(recordedRouter))).pipe(
      Layer.provide([RouteTable.layer, StrictInputLive, NodeHttpServer.layerHttpServices]),
    ),
    { routerConfig, disableLogger: true, disableListenLog: true },
  ).pipe(
    Layer.provide([redactedHeaders, requestIdInLogs]),
    Layer.provideMerge(NodeServer.layer(port, patience)),
    Layer.provide(ShortCut.layer),
  )

const ApiRoutes = Layer.mergeAll(
  HttpApiBuilder.layer(Api, { openapiPath: "/openapi.json" }).pipe(
    Layer.provide([
      SystemHandlers,
      StatusHandlers,
      KeysHandlers,
      UsageHandlers,
      CryptoHandlers,
      TicksHandlers,
      EventsHandlers,
      WebhooksHandlers,
      CopyPnlHandlers,
      LeaderboardsHandlers,
      WalletsHandlers,
      TradesHandlers,
    ]),
    Layer.provide([TickSegments.layer, Leaderboards.layer, Tags.layer]),
    Layer.provide([GateLive, CachedAnswers.layer]),
    Layer.provide([Gatekeeper.layer, AnswerCache.layer]),
  ),
  docs(Api),
  asyncapiDocument,
  livePage,
  metrics,
  welcome,
)

const OpsRoutes = Layer.mergeAll(HttpApiBuilder.layer(OpsApi).pipe(Layer.provide(SystemHandlers)), metrics)

/** The REST API on `PORT`. */
export const ApiServer = serve(ApiRoutes, settings.port)

/** /healthz, /readyz and /metrics on `OPS_PORT`, for a process without the api role. */
export const OpsServer = serve(OpsRoutes, settings.opsPort)
