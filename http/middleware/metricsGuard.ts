import { timingSafeEqual } from "node:crypto"
import { Effect, Option, Redacted } from "effect"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { metricsToken } from "#src/platform/config/settings.ts"
import { isLoopback } from "#src/platform/http/clientAddress.ts"
import { bearerOf } from "../access/givenKey.ts"
import { errorResponse } from "../errors.ts"
import { Incoming } from "../server/Exchange.ts"

const isSame = (given: string, wanted: string) => {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** A proxy on this machine asks for somebody else, and a browser for the page that it shows. */
const forOthers = ["x-forwarded-for", "x-real-ip", "forwarded", "via", "origin", "sec-fetch-site"]

const isFromHere = ({ source, headers }: HttpServerRequest) =>
  source instanceof Incoming &&
  isLoopback(source.socket.remoteAddress) &&
  forOthers.every((name) => headers[name] === undefined)

const refused = () =>
  errorResponse(403, {
    error: "Metrics are for whoever has the token, or without one for this machine.",
    hint: "Ask from loopback, or set METRICS_TOKEN and send authorization: Bearer <token>.",
  })

/** Metrics tell much about who uses the service: they are not for everybody. */
export const metricsGuard = HttpRouter.middleware(
  Effect.map(
    Configuration,
    (config) => (page) =>
      Effect.flatMap(HttpServerRequest, (request) => {
        const wanted = config.get(metricsToken)
        const isAllowed = Option.isSome(wanted)
          ? isSame(bearerOf(request) ?? "", Redacted.value(wanted.value))
          : isFromHere(request)
        return isAllowed ? page : Effect.succeed(refused())
      }),
  ),
).layer
