import { Context, Schema } from "effect"
import * as HttpApiMiddleware from "effect/unstable/httpapi/HttpApiMiddleware"
import type { Caller } from "#src/keys/model.ts"

const refusal = (status: number, description: string, fields: Schema.Struct.Fields = {}) =>
  Schema.Struct({ error: Schema.String, hint: Schema.optionalKey(Schema.String), ...fields }).annotate({
    httpApiStatus: status,
    description,
  })

/** Whose key the request brought. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("presage/http/CurrentCaller") {}

/**
 * Lets a request through whose key is good, whose plan is high enough and whose account has not used up its limits, in
 * this order and before its parameters are looked at. Every endpoint of the API has it; what one asks beyond a key, or that
 * it asks for none, is said in one line: see `http/access/Rule.ts`.
 */
export class Gate extends HttpApiMiddleware.Service<Gate, { provides: CurrentCaller }>()("presage/http/Gate", {
  error: [
    refusal(401, "The key is missing, malformed, not known, or there are several"),
    refusal(403, "The key was revoked, its account is not active, or its plan is too low"),
    refusal(429, "Over a limit; nothing was charged", {
      scope: Schema.optionalKey(Schema.String),
      reset_at: Schema.optionalKey(Schema.Int.annotate({ description: "Unix seconds" })),
    }),
  ],
}) {}
