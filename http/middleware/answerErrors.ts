import { Cause, Context, Effect, Layer, type Types } from "effect"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import { ClientAbort, isHttpServerError } from "effect/unstable/http/HttpServerError"
import { HttpServerRequest, ParsedSearchParams } from "effect/unstable/http/HttpServerRequest"
import * as Respondable from "effect/unstable/http/HttpServerRespondable"
import { type HttpServerResponse, isHttpServerResponse } from "effect/unstable/http/HttpServerResponse"
import { HttpApiSchemaError } from "effect/unstable/httpapi/HttpApiError"
import { BadInput, errorResponse } from "../errors.ts"
import { Incoming } from "../server/Exchange.ts"
import { RouteTable } from "../server/RouteTable.ts"
import { noRoute } from "./noRoute.ts"
import { wrongInput } from "./wrongInput.ts"

const incomingOf = (request: HttpServerRequest): Incoming | undefined =>
  request.source instanceof Incoming ? request.source : undefined

const badInput = ({ ...body }: BadInput) => errorResponse(400, body)

const givenFor = (kind: HttpApiSchemaError["kind"], context: Context.Context<never>): unknown =>
  kind === "Query"
    ? Context.getOrUndefined(context, ParsedSearchParams)
    : kind === "Params"
      ? Context.getOrUndefined(context, HttpRouter.RouteContext)?.params
      : undefined

/** The answer that one failure or defect asks for; undefined when it is a fault of ours. */
const expected = (
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
    return Effect.succeed(errorResponse(400, { error: "The request could not be read to its end." }))
  }
  return Respondable.isRespondable(failure) ? Effect.orDie(Respondable.toResponse(failure)) : undefined
}

const answer = (cause: Cause.Cause<unknown>, routes: RouteTable["Service"]) =>
  Effect.withFiber<HttpServerResponse>((fiber) => {
    const request = Context.getUnsafe(fiber.context as Context.Context<HttpServerRequest>, HttpServerRequest)
    const incoming = incomingOf(request)
    // The 413 is on its way already; this answer is not sent.
    if (incoming?.bodyRefused) return Effect.succeed(errorResponse(413, { error: "The body is too large." }))
    for (const reason of cause.reasons) {
      if (reason._tag === "Interrupt") continue
      const failure = reason._tag === "Fail" ? reason.error : reason.defect
      const response = expected(failure, request, fiber.context, routes)
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

/** Turns everything that can go wrong into the one JSON form and logs faults of ours once, with their cause. */
export const answerErrors = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* RouteTable
    const router = yield* HttpRouter.HttpRouter
    yield* router.addGlobalMiddleware(
      (app): Effect.Effect<HttpServerResponse, Types.unhandled> =>
        Effect.catchCause(app, (cause) => answer(cause, routes)),
    )
  }),
)
