import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiMiddleware from "effect/unstable/httpapi/HttpApiMiddleware"
import { bearerOf } from "#src/access/AccessRequest.ts"
import { Admission } from "#src/access/Admission.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { consoleToken } from "#src/platform/config/settings.ts"
import { accessRequestOf } from "../access/accessRequest.ts"
import { compressed } from "../caching/compressed.ts"
import { hostGuard, Misdirected } from "../middleware/hostGuard.ts"
import { isEqualSecret, isFromThisMachine } from "../middleware/privateAccess.ts"
import { errorResponse, refusalResponse } from "../server/errors.ts"

/** Who acts, as the audit names them. */
export class CurrentOperator extends Context.Service<CurrentOperator, { readonly name: string }>()(
  "presage/http/CurrentOperator",
) {}

const refusal = (status: number, description: string) =>
  Schema.Struct({ error: Schema.String, hint: Schema.optionalKey(Schema.String) }).annotate({
    httpApiStatus: status,
    description,
  })

/**
 * Admits operators: requests with the token of the console, or, while none is configured, programs and browsers on this
 * machine. A proxy on this machine need not say that it forwards, so that a token counts for everyone. API keys do not count.
 * Pages of other origins are refused, also for reads, because every answer of the server may be read by any page.
 */
export class OperatorAccess extends HttpApiMiddleware.Service<OperatorAccess, { provides: CurrentOperator }>()(
  "presage/http/OperatorAccess",
  {
    error: [
      refusal(401, "The token of the console is missing or wrong"),
      refusal(403, "The request was sent by a page of another origin, or a change lacks the header x-presage-console"),
      Misdirected,
    ],
  },
) {}

/** A page of another origin cannot send it without asking first, and is refused then. */
const consoleHeader = "x-presage-console"

const wrongToken = (isSet: boolean) =>
  errorResponse(
    401,
    isSet
      ? { error: "The token is wrong.", hint: "It is the value of CONSOLE_TOKEN. API keys do not open the console." }
      : {
          error: "No token is configured.",
          hint: "Set CONSOLE_TOKEN and restart, or use the console on the machine itself without a token.",
        },
    { "www-authenticate": "Bearer" },
  )

const missingToken = () =>
  errorResponse(
    401,
    {
      error: "The console needs its token, or, while none is configured, a request from the machine itself.",
      hint: "Send authorization: Bearer <CONSOLE_TOKEN>. API keys do not open the console.",
    },
    { "www-authenticate": "Bearer" },
  )

const foreignPage = () =>
  errorResponse(403, { error: "Pages of another origin cannot use the console.", hint: "Open /console itself." })

const missingHeader = () =>
  errorResponse(403, {
    error: `Changes need the header ${consoleHeader}.`,
    hint: `Send ${consoleHeader}: 1; a page of another origin cannot.`,
  })

const ownSites = new Set([undefined, "same-origin", "none"])

/** Whether a browser sent the request for a page of another origin. */
const isForeignPage = ({ headers }: HttpServerRequest): boolean =>
  !ownSites.has(headers["sec-fetch-site"]) ||
  (headers["origin"] !== undefined && headers["origin"].replace(/^https?:\/\//, "") !== headers["host"])

const reads = new Set(["GET", "HEAD"])

export const OperatorAccessLive = Layer.effect(
  OperatorAccess,
  Effect.gen(function* () {
    const config = yield* Configuration
    const admission = yield* Admission
    const misdirected = yield* hostGuard

    /** Guesses of a token count like requests without a key. */
    const refuseToken = (request: HttpServerRequest, answer: HttpServerResponse.HttpServerResponse) =>
      Effect.match(admission.guardAddress(accessRequestOf(request), false), {
        onFailure: refusalResponse,
        onSuccess: () => answer,
      })

    /** The operator, or the answer to a request that has none. */
    const identify = (request: HttpServerRequest): Effect.Effect<string | HttpServerResponse.HttpServerResponse> => {
      if (isForeignPage(request)) return Effect.succeed(foreignPage())
      const { authorization } = request.headers
      if (authorization !== undefined) {
        const token = config.get(consoleToken)
        const isGiven = Option.exists(token, (expected) =>
          isEqualSecret(bearerOf(authorization) ?? "", Redacted.value(expected)),
        )
        return isGiven
          ? Effect.succeed(`console at ${admission.addressOf(accessRequestOf(request))}`)
          : refuseToken(request, wrongToken(Option.isSome(token)))
      }
      if (Option.isSome(config.get(consoleToken)) || !isFromThisMachine(request))
        return refuseToken(request, missingToken())
      const refused = misdirected(request)
      if (refused === undefined) return Effect.succeed("console on this machine")
      return Effect.succeed(errorResponse(421, { error: refused.error, hint: refused.hint }))
    }

    return OperatorAccess.of((next) =>
      Effect.flatMap(HttpServerRequest, (request) =>
        Effect.flatMap(identify(request), (found) => {
          if (typeof found !== "string") return Effect.succeed(found)
          if (!reads.has(request.method) && !request.headers[consoleHeader]) return Effect.succeed(missingHeader())
          return Effect.provideService(next, CurrentOperator, { name: found }).pipe(
            Effect.map(HttpServerResponse.setHeader("cache-control", "no-store")),
            Effect.flatMap(compressed(request)),
          )
        }),
      ),
    )
  }),
)
