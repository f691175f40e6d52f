import { Effect, Layer } from "effect"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import type * as HttpApi from "effect/unstable/httpapi/HttpApi"
import type * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import { version } from "#src/platform/process/version.ts"
import { asyncapi } from "#src/streams/asyncapi.ts"
import { gatewayAddress } from "../server/gatewayAddress.ts"

// The page works without internet access: everything is inline, and the browser may fetch nothing else.
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

/** Interactive documentation. Swagger UI is two megabytes of source, so only a process that serves it loads it. */
export const docs = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("effect/unstable/httpapi/HttpApiSwagger")),
      (Swagger) => Swagger.layer(api, { path: "/docs" }),
    ),
  ).pipe(Layer.provide(withPolicy))

/** Machine-readable description of the streams, as /openapi.json is for the REST API. */
export const asyncapiDocument = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const address = yield* gatewayAddress
    const answer = Effect.map(address, (gateway) => HttpServerResponse.jsonUnsafe(asyncapi(gateway, version)))
    yield* router.add("GET", "/asyncapi.json", answer)
  }),
)
