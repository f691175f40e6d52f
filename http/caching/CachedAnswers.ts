import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/unstable/http/HttpServerResponse"
import type * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import { AnswerCache, idOf } from "#src/caching/AnswerCache.ts"
import { defaultBudget, type Lifetime, LoadTimeout } from "#src/caching/model.ts"
import { AccessRule } from "../access/Rule.ts"
import { allowTime } from "../server/deadline.ts"
import { Unavailable } from "../server/errors.ts"
import { openFastPath } from "./fastPath.ts"
import { sendCached } from "./sendCached.ts"

/** Input of a raw handler. */
export interface RawRequest {
  readonly request: HttpServerRequest
  readonly endpoint: Pick<HttpApiEndpoint.Top, "annotations" | "path">
  readonly group: Pick<HttpApiGroup.Top, "identifier">
}

/** Decoded path and query: what a cached answer may depend on, with the time and, if it says so, the host. */
type InputOf<G> = Pick<G, Extract<keyof G, "params" | "query">>

export interface Loaded<A> {
  readonly value: A
  /** For answers that say whether they are cached. */
  readonly whenCached?: A
  /** Time of its newest data, in milliseconds; the time of the load by default. */
  readonly dataAt?: number | undefined
  /** The answer changes at this moment. */
  readonly until?: number | undefined
}

export interface CachedEndpoint<G, A, E> extends Lifetime {
  /** Unique short name of the endpoint. */
  readonly name: string
  /** The success schema of the endpoint. Without it, values are JSON already: to encode a page of markets took longer than to read it. */
  readonly schema?: Schema.Codec<A, unknown>
  /** Identifies the answer by its input, in a canonical form; not needed if there is only one. */
  readonly key?: (input: InputOf<G>, host: string | undefined) => string
  readonly load: (input: InputOf<G>, host: string | undefined) => Effect.Effect<Loaded<A>, E>
  /** Whether the answer names the host that was asked: `key` has to tell hosts apart as far as the answer does. */
  readonly namesHost?: boolean
  readonly budget?: number
  /** Kept in this process only, because it lives shortly. */
  readonly isLocal?: boolean
  /** Whether a request with this `Accept` gets this answer; any by default. */
  readonly accepts?: (accept: string | undefined) => boolean
}

/** Makes handlers that answer from the cache: `handlers.handleRaw("series", answers.handler({ name, schema, freshFor, ... }))`. */
export class CachedAnswers extends Context.Service<
  CachedAnswers,
  {
    /** A load that fails with `Unavailable` is a 503 unless an older answer may be served; other failures are answers. */
    readonly handler: <G extends RawRequest, A, E>(
      options: CachedEndpoint<G, A, E>,
    ) => (raw: G) => Effect.Effect<HttpServerResponse, E | Unavailable>
  }
>()("presage/http/CachedAnswers") {
  static readonly layer = Layer.effect(
    CachedAnswers,
    Effect.suspend(() => make),
  )
}

const isOutage = (error: unknown) => error instanceof Unavailable

const tooSlow = (failure: LoadTimeout) =>
  Effect.andThen(
    Effect.logWarning(failure.message),
    new Unavailable({ error: "The answer was not ready in time.", hint: "Try again in a few seconds." }),
  )

const make = Effect.gen(function* () {
  const cache = yield* AnswerCache
  const clock = yield* Clock.Clock
  const register = yield* openFastPath

  return CachedAnswers.of({
    handler: <G extends RawRequest, A, E>(options: CachedEndpoint<G, A, E>) => {
      const { name, schema, key, load, freshFor, staleFor, until, budget, isLocal, accepts, namesHost } = options
      const encode = schema === undefined ? (value: A): unknown => value : Schema.encodeSync(schema)
      const encoded = ({ value, whenCached, dataAt, until }: Loaded<A>) => ({
        value: encode(value),
        ...(whenCached === undefined ? {} : { whenCached: encode(whenCached) }),
        dataAt,
        until,
      })
      return (raw: G) => {
        // The cached entry must not retain the request.
        const { request, endpoint, group } = raw
        const host = namesHost ? (request.headers["host"] ?? "") : undefined
        const input: InputOf<G> = { ...raw, request: undefined, endpoint: undefined, group: undefined }
        const entry = {
          name,
          key: key === undefined ? "" : key(input, host),
          load: Effect.map(load(input, host), encoded),
          freshFor,
          staleFor,
          until,
          budget,
          isLocal,
          isOutage,
        }
        allowTime(request, budget ?? defaultBudget)
        const answered = Effect.catchIf(cache.get(entry), (failure) => failure instanceof LoadTimeout, tooSlow)
        return answered.pipe(
          Effect.flatMap((cached) => {
            const rule = Context.get(endpoint.annotations, AccessRule)
            if (rule.units === undefined && rule.key === "needed") {
              register(request.originalUrl, {
                id: idOf(entry),
                name,
                rule,
                family: group.identifier,
                route: endpoint.path,
                host,
                renew: answered,
                accepts,
              })
            }
            return sendCached(request, cached, clock.currentTimeMillisUnsafe())
          }),
        )
      }
    },
  })
})
