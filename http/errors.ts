import { Effect, Schema } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import { storeAwayBody } from "#src/keys/refusals.ts"
import { clean, type ErrorBody } from "#src/platform/http/errorBody.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"

/** A store that does not answer is a 503 for the client and a line for the operator. */
export const unavailable = (what: string) => (error: unknown) =>
  Effect.andThen(Effect.logWarning(`${what}: ${describe(error)}`), new Unavailable(storeAwayBody))

/** The request itself is wrong. `param` names a path or query parameter, `field` a place in the body. */
export class BadInput extends Schema.Error<BadInput>("BadInput")(
  {
    error: Schema.String,
    param: Schema.optionalKey(Schema.String),
    field: Schema.optionalKey(Schema.String),
    hint: Schema.optionalKey(Schema.String),
  },
  { httpApiStatus: 400, description: "The request is wrong; `error` says what it should be" },
) {}

/** There is no such thing, or none of the asker's. */
export class NotFound extends Schema.Error<NotFound>("NotFound")(
  { error: Schema.String, hint: Schema.optionalKey(Schema.String) },
  { httpApiStatus: 404, description: "There is no such thing" },
) {}

/** It cannot be done as things are. */
export class Conflict extends Schema.Error<Conflict>("Conflict")(
  { error: Schema.String, hint: Schema.optionalKey(Schema.String) },
  { httpApiStatus: 409, description: "Not possible as things are; `error` says why" },
) {}

/** What is needed for an answer is away for the moment; `/readyz` says what. */
export class Unavailable extends Schema.Error<Unavailable>("Unavailable")(
  { error: Schema.String, hint: Schema.optionalKey(Schema.String) },
  { httpApiStatus: 503, description: "Something that the answer needs is away; try again" },
) {}

export const errorResponse = (status: number, body: ErrorBody, headers?: Readonly<Record<string, string>>) =>
  HttpServerResponse.jsonUnsafe(clean(body), headers === undefined ? { status } : { status, headers })
