import { Schema } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"

/** What every refusal looks like on the wire: a sentence for a person, then what a program may want. */
export interface ErrorBody {
  readonly error: string
  readonly [field: string]: unknown
}

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

/** What is needed for an answer is away for the moment; `/readyz` says what. */
export class Unavailable extends Schema.Error<Unavailable>("Unavailable")(
  { error: Schema.String, hint: Schema.optionalKey(Schema.String) },
  { httpApiStatus: 503, description: "Something that the answer needs is away; try again" },
) {}

export const errorResponse = (status: number, body: ErrorBody, headers?: Readonly<Record<string, string>>) =>
  HttpServerResponse.jsonUnsafe(body, headers === undefined ? { status } : { status, headers })
