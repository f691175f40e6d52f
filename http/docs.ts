import { Effect, Layer } from "effect"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import type * as HttpApi from "effect/unstable/httpapi/HttpApi"
import type * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"

// The page works on a machine without internet: all of it is inline, and the browser is told to fetch nothing else.
const policy = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ")

const withPolicy = HttpRouter.middleware((page) =>
  Effect.map(page, HttpServerResponse.setHeader("content-security-policy", policy)),
).layer

/** The interactive documentation. Swagger UI is two megabytes of source, so only a process that serves it loads it. */
export const docs = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("effect/unstable/httpapi/HttpApiSwagger")),
      (Swagger) => Swagger.layer(api, { path: "/docs" }),
    ),
  ).pipe(Layer.provide(withPolicy))
