import { Context, Effect, Layer, type Schema, SchemaAST } from "effect"
import { HttpServerRequest, ParsedSearchParams } from "effect/unstable/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/unstable/http/HttpServerResponse"
import type * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiMiddleware from "effect/unstable/httpapi/HttpApiMiddleware"
import { unknownParameter } from "#src/platform/http/errorBody.ts"
import { closestName } from "#src/platform/text/spelling.ts"
import { inAnyCase } from "../input/anyCase.ts"
import { Incoming } from "../server/Exchange.ts"
import { BadInput, errorResponse } from "../server/errors.ts"

/**
 * Refuses input that the contract does not declare: unknown query parameters and fields, bodies of another content type.
 * Enumerations of the query are accepted in any case.
 * `HttpApi.middleware(StrictInput)` in `Api.ts` gives it to every endpoint.
 */
export class StrictInput extends HttpApiMiddleware.Service<StrictInput>()("presage/http/StrictInput", {
  error: BadInput,
}) {}

/** The parameters of a query schema; undefined if it accepts any. */
const parameterNames = (query: Schema.Constraint | undefined): ReadonlySet<string> | undefined => {
  if (query === undefined) return new Set()
  const ast = SchemaAST.toEncoded(query.ast)
  if (!SchemaAST.isObjects(ast) || ast.indexSignatures.length > 0) return undefined
  return new Set(ast.propertySignatures.map((property) => String(property.name)))
}

// An escaped NUL is valid JSON, but Postgres text columns reject it.
const escapedNul = /(?<!\\)(?:\\\\)*\\u0000/

/** The fields of a JSON body; undefined if it accepts any. */
const fieldNames = (payload: HttpApiEndpoint.PayloadMap): ReadonlySet<string> | undefined => {
  const names = new Set<string>()
  for (const schema of payload.get("application/json")?.schemas ?? []) {
    if (SchemaAST.isNull(SchemaAST.toEncoded(schema.ast))) continue
    const known = parameterNames(schema)
    if (known === undefined) return undefined
    for (const name of known) names.add(name)
  }
  return names
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A mistyped optional field would otherwise be ignored. The schema refuses bodies that are not objects. */
const unknownField = (text: string, known: ReadonlySet<string> | undefined): BadInput | undefined => {
  const body = parsed(text)
  if (known === undefined || typeof body !== "object" || body === null || Array.isArray(body)) return undefined
  const name = Object.keys(body)
    .find((field) => !known.has(field))
    ?.slice(0, 100)
  if (name === undefined) return undefined
  const near = closestName(name, known)
  const hint = near === undefined ? `Known fields: ${[...known].join(", ") || "none"}.` : `Did you mean "${near}"?`
  return new BadInput({ error: `Unknown field "${name}". ${hint}`, field: name })
}

const mediaType = (header: string | undefined) => (header ?? "application/json").split(";", 1)[0]?.trim().toLowerCase()

const withCheckedBody = <E, R>(
  next: Effect.Effect<HttpServerResponse, E, R>,
  accepted: ReadonlyArray<string>,
  fields: ReadonlySet<string> | undefined,
): Effect.Effect<HttpServerResponse, E | BadInput, R | HttpServerRequest> =>
  Effect.flatMap(HttpServerRequest, (request): Effect.Effect<HttpServerResponse, E | BadInput, R> => {
    const type = mediaType(request.headers["content-type"])
    if (type === undefined || !accepted.includes(type)) {
      const error = `The body must be ${accepted.join(" or ")}, got ${type || "no content type"}.`
      return Effect.succeed(errorResponse(415, { error, hint: `Send content-type: ${accepted[0]}.` }))
    }
    const encoding = request.headers["content-encoding"]
    if (encoding !== undefined && encoding !== "identity") {
      const error = "The body must not be compressed."
      return Effect.succeed(errorResponse(415, { error, hint: "Send it without content-encoding." }))
    }
    if (request.source instanceof Incoming && request.source.bodyRefused) return Effect.interrupt
    if (type !== "application/json") return next
    return Effect.flatMap(Effect.orDie(request.text), (text): Effect.Effect<HttpServerResponse, E | BadInput, R> => {
      const wrong = escapedNul.test(text)
        ? new BadInput({ error: "The body must not contain NUL characters (\\u0000)." })
        : unknownField(text, fields)
      return wrong === undefined ? next : Effect.fail(wrong)
    })
  })

export const StrictInputLive = Layer.succeed(
  StrictInput,
  StrictInput.of((next, { endpoint }) => {
    const known = parameterNames(endpoint.query)
    const spelled = inAnyCase(endpoint.query)
    const checked =
      endpoint.payload.size === 0
        ? next
        : withCheckedBody(next, [...endpoint.payload.keys()], fieldNames(endpoint.payload))
    if (known === undefined) return checked
    return Effect.withFiber((fiber): typeof checked => {
      const given = Context.getUnsafe(fiber.context as Context.Context<ParsedSearchParams>, ParsedSearchParams)
      const wrong = unknownParameter(given, known)
      if (wrong !== undefined) return Effect.fail(new BadInput(wrong))
      const query = spelled(given)
      return query === given ? checked : Effect.provideService(checked, ParsedSearchParams, query)
    })
  }),
)
