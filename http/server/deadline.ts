import { Context, Duration, Effect } from "effect"
import { RouteContext } from "effect/unstable/http/HttpRouter"
import { ClientAbort } from "effect/unstable/http/HttpServerError"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import { Incoming, refuse } from "./Exchange.ts"

const tookTooLong = {
  error: "The answer was not ready in time.",
  hint: "Try again in a few seconds, or ask for less. /readyz shows whether a store or a source is down.",
}

const expire = (request: Incoming, millis: number): void => {
  const { reply, fiber } = request
  if (reply === undefined || reply.headersSent || reply.destroyed) return
  if (!request.complete) {
    // The client still sends, for which there is another limit.
    answerBy(request, millis)
    return
  }
  request.route ??= fiber && Context.getOrUndefined(fiber.context, RouteContext)?.route.path
  refuse(reply, 503, tookTooLong)
  fiber?.interruptUnsafe(undefined, ClientAbort.annotation)
}

/**
 * Answers 503 if the request has no answer by then, and interrupts its handler without waiting for it: a handler that waits
 * for a frozen Postgres may be uninterruptible.
 */
export const answerBy = (request: Incoming, millis: number): void => {
  clearTimeout(request.deadline)
  request.deadline = setTimeout(expire, millis, request, millis)
}

/** Lets the fiber of a request be found, to interrupt it. */
export const withFiberKnown = <A, E, R>(app: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | HttpServerRequest> =>
  Effect.withFiber((fiber) => {
    const source = Context.getOrUndefined(fiber.context, HttpServerRequest)?.source
    if (source instanceof Incoming) source.fiber = fiber
    return app
  })

/** Allows a request this much time from now on, in addition to the usual, for work that has a limit of its own. */
export const allowTime = ({ source }: HttpServerRequest, time: Duration.Input): void => {
  if (source instanceof Incoming && source.edge !== undefined)
    answerBy(source, source.edge.deadlineMillis + Duration.toMillis(time))
}
