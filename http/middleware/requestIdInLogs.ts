import { Context, Effect, Fiber, Layer, References } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import { Incoming } from "../server/Exchange.ts"

const currentRequestId = (): string | undefined => {
  const context = Fiber.getCurrent()?.context
  const request = context && Context.getOrUndefined(context, HttpServerRequest)
  return request?.source instanceof Incoming ? request.source.requestId : undefined
}

/**
 * Gives every log line of a request its id. The id is looked up when a line is written: setting it for each
 * request would cost all requests for the few that log, and would be lost in HttpApi, which lays the context
 * that the handlers were built in over that of the request.
 */
export const requestIdInLogs = Layer.effect(
  References.CurrentLogAnnotations,
  Effect.map(References.CurrentLogAnnotations, (inherited) =>
    Object.defineProperty({ ...inherited }, "request_id", { enumerable: true, get: currentRequestId }),
  ),
)
