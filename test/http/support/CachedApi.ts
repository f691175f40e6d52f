import { Context, Effect, Layer, Schema } from "effect"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import * as HttpApi from "effect/unstable/httpapi/HttpApi"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import { paidOnly } from "#http/access/Rule.ts"
import { CachedAnswers } from "#http/caching/CachedAnswers.ts"
import { AccessControl, AccessControlLive } from "#http/middleware/AccessControl.ts"
import { StrictInput } from "#http/middleware/StrictInput.ts"
import { serve } from "#http/Server.ts"
import { NotFound, Unavailable } from "#http/server/errors.ts"
import { AnswerCache } from "#src/caching/AnswerCache.ts"
import { port } from "#src/platform/config/settings.ts"
import { access } from "#src/roles/Access.ts"
import { movableClock } from "#test/caching/support.ts"
import { nextBoundary } from "#test/support/nextBoundary.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const Size = Schema.Literals(["small", "large"])
const List = Schema.Struct({ size: Size, loads: Schema.Int, items: Schema.Array(Schema.String) })
const Window = Schema.Struct({ start: Schema.DateFromString })
const Price = Schema.Struct({ price: Schema.Finite, cached: Schema.Boolean })

class CachedGroup extends HttpApiGroup.make("cached").add(
  HttpApiEndpoint.get("list", "/v1/cached/list", {
    query: { size: Size },
    success: List,
    error: [NotFound, Unavailable],
  }),
  HttpApiEndpoint.get("window", "/v1/cached/window", { success: Window, error: Unavailable }),
  HttpApiEndpoint.get("price", "/v1/cached/prices/:coin", {
    params: { coin: Schema.String },
    success: Price,
    error: Unavailable,
  }),
  HttpApiEndpoint.get("paid", "/v2/cached/paid", { success: Price, error: Unavailable }).annotateMerge(paidOnly()),
) {}

class CachedApi extends HttpApi.make("cached").add(CachedGroup).middleware(StrictInput).middleware(AccessControl) {}

/** The source of the answers, and the clock of the cache. */
export class Source extends Context.Service<
  Source,
  {
    loads: number
    manner: "ok" | "down" | "gone"
    /** Number of requests through the router. */
    routed: number
    readonly time: { now: number }
  }
>()("test/http/Source") {}

export const windowMillis = 300_000

const handlers = HttpApiBuilder.group(
  CachedApi,
  "cached",
  Effect.fnUntraced(function* (handlers) {
    const answers = yield* CachedAnswers
    const source = yield* Source
    const failing = () =>
      source.manner === "down" ? new Unavailable({ error: "The source is down." }) : new NotFound({ error: "No list." })
    return handlers
      .handleRaw(
        "list",
        answers.handler({
          name: "list",
          schema: List,
          freshFor: 10_000,
          staleFor: 60_000,
          key: ({ query }) => query.size,
          load: ({ query: { size } }) =>
            Effect.suspend(() => {
              source.loads += 1
              if (source.manner !== "ok") return Effect.fail(failing())
              const items = Array.from({ length: size === "large" ? 500 : 3 }, (_, i) => `item ${i} – é`)
              return Effect.succeed({ value: { size, loads: source.loads, items }, dataAt: source.time.now - 1500 })
            }),
        }),
      )
      .handleRaw(
        "window",
        answers.handler({
          name: "window",
          schema: Window,
          freshFor: 180_000,
          staleFor: 600_000,
          until: nextBoundary(windowMillis),
          load: () =>
            Effect.sync(() => ({
              value: { start: new Date(Math.floor(source.time.now / windowMillis) * windowMillis) },
            })),
        }),
      )
      .handleRaw(
        "price",
        answers.handler({
          name: "price",
          schema: Price,
          freshFor: 10_000,
          staleFor: 0,
          key: ({ params }) => params.coin,
          load: () =>
            Effect.succeed({
              value: { price: 97123.45678901, cached: false },
              whenCached: { price: 97123.45678901, cached: true },
            }),
        }),
      )
      .handleRaw(
        "paid",
        answers.handler({
          name: "paid",
          schema: Price,
          freshFor: 10_000,
          staleFor: 0,
          load: () => Effect.succeed({ value: { price: 1, cached: false } }),
        }),
      )
  }),
)

const routes = HttpApiBuilder.layer(CachedApi, { openapiPath: "/openapi.json" }).pipe(
  Layer.provide(handlers),
  Layer.provide(AccessControlLive),
)

const counted = Layer.effectDiscard(
  Effect.gen(function* () {
    const source = yield* Source
    const router = yield* HttpRouter.HttpRouter
    yield* router.addGlobalMiddleware((app) =>
      Effect.suspend(() => {
        source.routed += 1
        return app
      }),
    )
  }),
)

export const cachedServer = Layer.suspend(() => {
  const { time, layer } = movableClock()
  const caching = Layer.provide(CachedAnswers.layer, layer).pipe(Layer.provide(Layer.provide(AnswerCache.layer, layer)))
  return serve(Layer.merge(counted, Layer.provide(routes, caching)), port).pipe(
    Layer.provideMerge(Layer.sync(Source, () => ({ loads: 0, manner: "ok" as const, routed: 0, time }))),
    Layer.provideMerge(access),
    Layer.provideMerge(testFoundation({ port: "0", host: "127.0.0.1", "limits.unauthenticated-per-minute": "10000" })),
  )
})
