import { Effect, Option, Redacted } from "effect"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import { bearerOf } from "#src/access/AccessRequest.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { metricsToken } from "#src/platform/config/settings.ts"
import { errorResponse } from "../server/errors.ts"
import { hostGuard } from "./hostGuard.ts"
import { isEqualSecret, isFromThisMachine } from "./privateAccess.ts"

/** Headers of a browser that acts for a page. */
const pageHeaders = ["origin", "sec-fetch-site"]

const isLocal = (request: HttpServerRequest) =>
  isFromThisMachine(request) && pageHeaders.every((name) => request.headers[name] === undefined)

const refused = () =>
  errorResponse(403, {
    error: "Metrics require the token, or a request from this machine if no token is set.",
    hint: "Send the request from loopback, or set METRICS_TOKEN and send authorization: Bearer <token>.",
  })

/** Metrics reveal much about the clients of the service, so they are not public. */
export const metricsGuard = HttpRouter.middleware(
  Effect.map(
    Effect.all([Configuration, hostGuard]),
    ([config, misdirected]) =>
      (page) =>
        Effect.flatMap(HttpServerRequest, (request) => {
          const token = config.get(metricsToken)
          if (Option.isSome(token)) {
            const isGiven = isEqualSecret(
              bearerOf(request.headers.authorization ?? "") ?? "",
              Redacted.value(token.value),
            )
            return isGiven ? page : Effect.succeed(refused())
          }
          if (!isLocal(request)) return Effect.succeed(refused())
          const refusal = misdirected(request)
          if (refusal === undefined) return page
          return Effect.succeed(errorResponse(421, { error: refusal.error, hint: refusal.hint }))
        }),
  ),
).layer
