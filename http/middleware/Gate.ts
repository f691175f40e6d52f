import { Context, Schema } from "effect"
import * as HttpApiMiddleware from "effect/unstable/httpapi/HttpApiMiddleware"
import type { Caller } from "#src/domain/Account.ts"

const text = Schema.optionalKey(Schema.String)

const refusal = (status: number, description: string, fields: Schema.Struct.Fields = {}) =>
  Schema.Struct({ error: Schema.String, hint: text, ...fields }).annotate({ httpApiStatus: status, description })

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
    refusal(403, "The key was revoked, its account is not active, or its plan is too low", {
      plan: text,
      required_plan: text,
    }),
    refusal(429, "Over a limit; nothing was charged", {
      scope: text,
      limit: Schema.optionalKey(Schema.Int),
      reset_at: Schema.optionalKey(Schema.Int.annotate({ description: "Unix seconds" })),
    }),
  ],
}) {}
