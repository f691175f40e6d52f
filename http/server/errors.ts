import { Effect, Schema } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import { storeUnavailableBody } from "#src/access/refusals.ts"
import { type ErrorBody, type RefusedAnswer, redactBody } from "#src/platform/http/errorBody.ts"
import { describe, isStatementTimeout } from "#src/platform/sql/sqlFailure.ts"

const tookTooLong = {
  error: "The query took too long and was cancelled.",
  hint: "Try again, or ask for less: a narrower filter, a shorter time range, fewer rows.",
}

/** Answers 503 and logs the failure. */
export const unavailable = (what: string) => (error: unknown) =>
  Effect.andThen(
    Effect.logWarning(`${what}: ${describe(error)}`),
    new Unavailable(isStatementTimeout(error) ? tookTooLong : storeUnavailableBody),
  )

/** The request is invalid. `param` names a path or query parameter, `field` a field of the body. */
export class BadInput extends Schema.Error<BadInput>("BadInput")(
  {
    error: Schema.String,
    param: Schema.optionalKey(Schema.String),
    field: Schema.optionalKey(Schema.String),
    hint: Schema.optionalKey(Schema.String),
  },
  { httpApiStatus: 400, description: "The request is invalid; `error` says what is expected" },
) {}

/** The resource does not exist, or belongs to another account. */
export class NotFound extends Schema.Error<NotFound>("NotFound")(
  { error: Schema.String, hint: Schema.optionalKey(Schema.String) },
  { httpApiStatus: 404, description: "The resource does not exist" },
) {}

/** The request conflicts with the current state. */
export class Conflict extends Schema.Error<Conflict>("Conflict")(
  { error: Schema.String, hint: Schema.optionalKey(Schema.String) },
  { httpApiStatus: 409, description: "The request conflicts with the current state; `error` says why" },
) {}

/** A dependency is temporarily unavailable; `/readyz` shows which. */
export class Unavailable extends Schema.Error<Unavailable>("Unavailable")(
  { error: Schema.String, hint: Schema.optionalKey(Schema.String) },
  { httpApiStatus: 503, description: "A dependency is temporarily unavailable; try again" },
) {}

export const errorResponse = (status: number, body: ErrorBody, headers?: Readonly<Record<string, string>>) =>
  HttpServerResponse.jsonUnsafe(redactBody(body), headers === undefined ? { status } : { status, headers })

export const refusalResponse = ({ status, body, headers }: RefusedAnswer) => errorResponse(status, body, headers)
