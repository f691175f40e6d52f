import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import * as Headers from "effect/unstable/http/Headers"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import * as PrometheusMetrics from "effect/unstable/observability/PrometheusMetrics"
import { AnswerCache } from "#src/caching/AnswerCache.ts"
import { Tags } from "#src/catalogue/Tags.ts"
import { ContextBundle } from "#src/context/ContextBundle.ts"
import { Leaderboards } from "#src/leaderboards/Leaderboards.ts"
import { LedgerCoverage } from "#src/ledger/coverage/LedgerCoverage.ts"
import type { Setting } from "#src/platform/config/Setting.ts"
import * as settings from "#src/platform/config/settings.ts"
import { version } from "#src/platform/process/version.ts"
import { TickSegments } from "#src/ticks/segments/TickSegments.ts"
import { Api, OpsApi } from "./Api.ts"
import { ActivityHandlers } from "./activity/handlers.ts"
import { OnchainActivityHandlers } from "./activity/onchain/handlers.ts"
import { BlocksHandlers } from "./blocks/handlers.ts"
import { BuildersHandlers } from "./builders/handlers.ts"
import { CachedAnswers } from "./caching/CachedAnswers.ts"
import { CandlesHandlers } from "./candles/handlers.ts"
import { CombosHandlers } from "./combos/handlers.ts"
import { CopyPnlHandlers } from "./copy-pnl/handlers.ts"
import { CryptoHandlers } from "./crypto/handlers.ts"
import { docsRoutes } from "./docs/routes.ts"
import { EventsHandlers } from "./events/handlers.ts"
import { KeysHandlers } from "./keys/handlers.ts"
import { LeaderboardsHandlers } from "./leaderboards/handlers.ts"
import { MarketStatsHandlers } from "./market-stats/handlers.ts"
import { MarketContextHandlers } from "./markets/context/handlers.ts"
import { DepthHandlers } from "./markets/depth/handlers.ts"
import { MarketsHandlers } from "./markets/handlers.ts"
import { MarketSearchHandlers } from "./markets/search/handlers.ts"
import { TagsHandlers } from "./markets/tags/handlers.ts"
import { AccessControlLive } from "./middleware/AccessControl.ts"
import { answerErrors } from "./middleware/answerErrors.ts"
import { metricsGuard } from "./middleware/metricsGuard.ts"
import { requestIdInLogs } from "./middleware/observe.ts"
import { StrictInputLive } from "./middleware/StrictInput.ts"
import { OnchainTradesHandlers } from "./onchain/trades/handlers.ts"
import { VolumesHandlers } from "./onchain/volumes/handlers.ts"
import { OnlineSearchHandlers } from "./online-search/handlers.ts"
import { operatorRoutes } from "./ops/routes.ts"
import { WalletsHandlers } from "./positions/handlers.ts"
import { PositionPagesHandlers } from "./positions/list/handlers.ts"
import { ResolutionsHandlers } from "./resolutions/handlers.ts"
import { ResolveHandlers } from "./resolve/handlers.ts"
import { RewardsHandlers } from "./rewards/handlers.ts"
import { FastPath } from "./server/FastPath.ts"
import * as NodeServer from "./server/NodeServer.ts"
import { RouteTable, recordedRouter, routerConfig } from "./server/RouteTable.ts"
import { SocialHandlers } from "./social/handlers.ts"
import { GamesHandlers } from "./sports/games/handlers.ts"
import { SportsHandlers } from "./sports/handlers.ts"
import { StatusHandlers } from "./status/handlers.ts"
import { SystemHandlers } from "./system/handlers.ts"
import { TicksHandlers } from "./ticks/handlers.ts"
import { TradesHandlers } from "./trades/handlers.ts"
import { TradeListsHandlers } from "./trades/list/handlers.ts"
import { UsageHandlers } from "./usage/handlers.ts"
import { Cursors } from "./v3/cursor.ts"
import { WalletPnlHandlers } from "./wallets/handlers.ts"
import { webApp } from "./web/routes.ts"
import { WebhooksHandlers } from "./webhooks/handlers.ts"

const addresses = HttpServerResponse.jsonUnsafe({
  name: "Presage",
  version,
  explore: "/explore",
  live: "/explore/live",
  dashboard: "/dashboard",
  console: "/console",
  docs: "/docs",
  llms: "/llms.txt",
  openapi: "/openapi.json",
  asyncapi: "/asyncapi.json",
  ready: "/readyz",
  metrics: "/metrics",
})

/** For people who open the bare address: a browser gets the explorer, a program what there is. */
const welcome = HttpRouter.add(
  "GET",
  "/",
  Effect.map(HttpServerRequest, ({ headers }) =>
    headers["accept"]?.includes("text/html") ? HttpServerResponse.redirect("/explore") : addresses,
  ),
)

const metrics = PrometheusMetrics.layerHttp({ path: "/metrics" }).pipe(Layer.provide(metricsGuard))

/**
 * Headers that may be written to spans. Others may contain a key, intentionally, by mistake, or in an address such as
 * the referrer.
 */
const traceableHeaders = [
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "host",
  "traceparent",
]
const redactedHeaders = Layer.succeed(Headers.CurrentRedactedNames, [
  new RegExp(`^(?!(${traceableHeaders.join("|")}|x-ratelimit-.*|x-request-id)$)`),
])

/** Serves routes on the port of a setting, with the middleware of all routes. */
export const serve = <A, E, R>(
  routes: Layer.Layer<A, E, R>,
  port: Setting<number>,
  timeouts: NodeServer.Timeouts = NodeServer.timeouts,
  host: Setting<string> = settings.host,
) =>
  HttpRouter.serve(
    Layer.mergeAll(answerErrors, routes.pipe(Layer.provide(recordedRouter))).pipe(
      Layer.provide([RouteTable.layer, StrictInputLive, NodeHttpServer.layerHttpServices]),
    ),
    { routerConfig, disableLogger: true, disableListenLog: true },
  ).pipe(
    Layer.provide([redactedHeaders, requestIdInLogs]),
    Layer.provideMerge(NodeServer.layer({ hostSetting: host, portSetting: port }, timeouts)),
    Layer.provide(FastPath.layer),
  )

const ApiRoutes = Layer.mergeAll(
  HttpApiBuilder.layer(Api).pipe(
    Layer.provide([
      SystemHandlers,
      StatusHandlers,
      KeysHandlers,
      UsageHandlers,
      CryptoHandlers,
      TicksHandlers,
      EventsHandlers,
      BlocksHandlers,
      ResolveHandlers,
      WebhooksHandlers,
      CopyPnlHandlers,
      LeaderboardsHandlers,
      WalletsHandlers,
      TradesHandlers,
      TradeListsHandlers,
      OnchainTradesHandlers,
      VolumesHandlers,
      MarketsHandlers,
      MarketStatsHandlers,
      TagsHandlers,
      MarketSearchHandlers,
      DepthHandlers,
      MarketContextHandlers,
      ResolutionsHandlers,
      RewardsHandlers,
      CandlesHandlers,
      ActivityHandlers,
      OnchainActivityHandlers,
      PositionPagesHandlers,
      WalletPnlHandlers,
      BuildersHandlers,
      CombosHandlers,
      SportsHandlers,
      GamesHandlers,
      OnlineSearchHandlers,
      SocialHandlers,
    ]),
    Layer.provide([
      TickSegments.layer,
      Leaderboards.layer,
      Tags.layer,
      LedgerCoverage.layer,
      Cursors.layer,
      ContextBundle.layer,
    ]),
    Layer.provide([AccessControlLive, CachedAnswers.layer]),
    Layer.provide(AnswerCache.layer),
  ),
  operatorRoutes,
  docsRoutes,
  webApp,
  metrics,
  welcome,
)

const OpsRoutes = Layer.mergeAll(HttpApiBuilder.layer(OpsApi).pipe(Layer.provide(SystemHandlers)), metrics)

/** The REST API on `PORT`. */
export const ApiServer = serve(ApiRoutes, settings.port)

/** /healthz, /readyz and /metrics on `OPS_HOST` and `OPS_PORT`, for a process without the api role. */
export const OpsServer = serve(OpsRoutes, settings.opsPort, NodeServer.timeouts, settings.opsHost)
