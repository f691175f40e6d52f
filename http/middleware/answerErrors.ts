import { Cause, Context, Effect, Layer, type Types } from "effect"
import * as HttpBody from "effect/unstable/http/HttpBody"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import { ClientAbort, isHttpServerError } from "effect/unstable/http/HttpServerError"
import { HttpServerRequest, ParsedSearchParams } from "effect/unstable/http/HttpServerRequest"
import * as Respondable from "effect/unstable/http/HttpServerRespondable"
import { empty, type HttpServerResponse, isHttpServerResponse, setBody } from "effect/unstable/http/HttpServerResponse"
import { HttpApiSchemaError } from "effect/unstable/httpapi/HttpApiError"
import { redact } from "#src/platform/text/redact.ts"
import { wrongInput } from "../input/wrongInput.ts"
import { Incoming } from "../server/Exchange.ts"
import { BadInput, errorResponse } from "../server/errors.ts"
import { RouteTable } from "../server/RouteTable.ts"

// Only reads are open to other origins: a web page must not be able to change anything for its visitor.
const preflight = {
  "access-control-allow-methods": "GET, HEAD",
  "access-control-allow-headers": "*, authorization",
  "access-control-max-age": "86400",
}

/** Pages of other origins may not even read what operators see. */
const isForOperators = (url: string) => url.startsWith("/ops/")

const pathOf = (url: string) => url.split("?", 1)[0] ?? url

/** Answers a request without a route: a preflight, a wrong method or an unknown path. */
const noRoute = (request: HttpServerRequest, routes: RouteTable["Service"]) => {
  const methods = routes.methods(request.url)
  const allow = [...methods, "OPTIONS"].join(", ")
  if (request.method === "OPTIONS") {
    return empty({
      status: 204,
      headers: { ...(isForOperators(request.url) ? {} : preflight), ...(methods.length > 0 ? { allow } : {}) },
    })
  }
  const path = pathOf(request.url).slice(0, 200)
  if (methods.length > 0) {
    const error = `${request.method} is not allowed on ${path}; use ${methods.join(" or ")}.`
    return errorResponse(405, { error, allow: methods }, { allow })
  }
  const near = routes.closest(pathOf(request.url))
  const hint = `${near === undefined ? "" : `Did you mean ${near}? `}See /docs or /openapi.json for all endpoints.`
  return errorResponse(404, { error: "Not found.", path, hint })
}

const incomingOf = (request: HttpServerRequest): Incoming | undefined =>
  request.source instanceof Incoming ? request.source : undefined

const badInput = ({ ...body }: BadInput) => errorResponse(400, body)

const givenFor = (kind: HttpApiSchemaError["kind"], context: Context.Context<never>): unknown =>
  kind === "Query"
    ? Context.getOrUndefined(context, ParsedSearchParams)
    : kind === "Params"
      ? Context.getOrUndefined(context, HttpRouter.RouteContext)?.params
      : undefined

/** The answer to a failure or defect that the client caused; undefined for an internal error. */
const clientErrorOf = (
  failure: unknown,
  request: HttpServerRequest,
  context: Context.Context<never>,
  routes: RouteTable["Service"],
): Effect.Effect<HttpServerResponse> | undefined => {
  if (isHttpServerResponse(failure)) return Effect.succeed(failure)
  if (failure instanceof BadInput) return Effect.succeed(badInput(failure))
  if (HttpApiSchemaError.is(failure)) {
    if (failure.kind === "Body" || failure.kind === "ResponseHeaders") return undefined
    return Effect.succeed(badInput(wrongInput(failure.kind, failure.cause, givenFor(failure.kind, context))))
  }
  if (isHttpServerError(failure)) {
    if (failure.reason._tag === "RouteNotFound") return Effect.succeed(noRoute(request, routes))
    if (failure.reason._tag !== "RequestParseError") return undefined
    return Effect.succeed(errorResponse(400, { error: "The request body ended early." }))
  }
  return Respondable.isRespondable(failure) ? Effect.orDie(Respondable.toResponse(failure)) : undefined
}

const answer = (cause: Cause.Cause<unknown>, routes: RouteTable["Service"]) =>
  Effect.withFiber<HttpServerResponse>((fiber) => {
    const request = Context.getUnsafe(fiber.context as Context.Context<HttpServerRequest>, HttpServerRequest)
    const incoming = incomingOf(request)
    // The 413 has already been sent; this answer is dropped.
    if (incoming?.bodyRefused) return Effect.succeed(errorResponse(413, { error: "The body is too large." }))
    for (const reason of cause.reasons) {
      if (reason._tag === "Interrupt") continue
      const failure = reason._tag === "Fail" ? reason.error : reason.defect
      const response = clientErrorOf(failure, request, fiber.context, routes)
      if (response !== undefined) return response
    }
    if (Cause.hasInterruptsOnly(cause)) {
      const aborted = cause.reasons.some((reason) => reason.annotations.has(ClientAbort.key))
      if (aborted) return Effect.failCause(cause as Cause.Cause<never>)
      return Effect.succeed(errorResponse(503, { error: "The server is shutting down." }, { "retry-after": "1" }))
    }
    const response = errorResponse(500, { error: "Internal error.", request_id: incoming?.requestId })
    return Effect.as(
      Effect.annotateLogs(Effect.logError("request failed", cause), {
        method: request.method,
        route: Context.getOrUndefined(fiber.context, HttpRouter.RouteContext)?.route.path,
      }),
      response,
    )
  })

/** An endpoint's own errors quote the request as well, which may contain a misplaced key. */
const redactedError = (response: HttpServerResponse): HttpServerResponse => {
  const { status, body } = response
  if (status < 400 || body._tag !== "Uint8Array") return response
  const given = Buffer.from(body.body).toString()
  const text = redact(given)
  return text === given ? response : setBody(response, HttpBody.text(text, body.contentType))
}

/** Turns every failure into a JSON error, and logs internal errors once with their cause. */
export const answerErrors = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* RouteTable
    const router = yield* HttpRouter.HttpRouter
    yield* router.addGlobalMiddleware(
      (app): Effect.Effect<HttpServerResponse, Types.unhandled> =>
        Effect.map(
          Effect.catchCause(app, (cause) => answer(cause, routes)),
          redactedError,
        ),
    )
  }),
)
