import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/unstable/http/HttpServerResponse"
import type * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import { AnswerCache, idOf } from "#src/caching/AnswerCache.ts"
import { type Lifetime, LoadTooSlow } from "#src/caching/model.ts"
import { AccessRule } from "../access/Rule.ts"
import { Unavailable } from "../errors.ts"
import { sendCached } from "./sendCached.ts"
import { openShortCut } from "./shortCut.ts"

/** What a raw handler of an endpoint is given. */
interface Given {
  readonly request: HttpServerRequest
  readonly endpoint: Pick<HttpApiEndpoint.Top, "annotations" | "path">
  readonly group: Pick<HttpApiGroup.Top, "identifier">
}

/** The address, read by the schemas of the endpoint: all that a cached answer may depend on beside the time. */
type AddressOf<G> = Pick<G, Extract<keyof G, "params" | "query">>

export interface Loaded<A> {
  readonly value: A
  /** For answers that say themselves whether they are cached. */
  readonly whenCached?: A
  /** When the newest data in it were true, in milliseconds; when it was loaded, unless said. */
  readonly dataAt?: number | undefined
  /** From this moment on the answer is another one. */
  readonly until?: number | undefined
}

export interface CachedAnswer<G, A, E> extends Lifetime {
  /** A short word that no other cached endpoint has. */
  readonly name: string
  /** The success schema of the endpoint. */
  readonly schema: Schema.Codec<A, unknown>
  /** What tells its answers apart, in one spelling for each; not needed where there is only one. */
  readonly key?: (address: AddressOf<G>) => string
  readonly load: (address: AddressOf<G>) => Effect.Effect<Loaded<A>, E>
  readonly budget?: number
}

/** How endpoints answer from the cache: `handlers.handleRaw("series", answers.handler({ name, schema, freshFor, ... }))`. */
export class CachedAnswers extends Context.Service<
  CachedAnswers,
  {
    /** A failed load is a 503 where it fails with `Unavailable` and no older answer may be shown; other failures are answers. */
    readonly handler: <G extends Given, A, E>(
      options: CachedAnswer<G, A, E>,
    ) => (given: G) => Effect.Effect<HttpServerResponse, E | Unavailable>
  }
>()("presage/http/CachedAnswers") {
  static readonly layer = Layer.effect(
    CachedAnswers,
    Effect.suspend(() => make),
  )
}

const isOutage = (error: unknown) => error instanceof Unavailable

const tooSlow = (failure: LoadTooSlow) =>
  Effect.andThen(
    Effect.logWarning(failure.message),
    new Unavailable({ error: "The answer could not be made in time.", hint: "Try again in a few seconds." }),
  )

const make = Effect.gen(function* () {
  const cache = yield* AnswerCache
  const clock = yield* Clock.Clock
  const remember = yield* openShortCut

  return CachedAnswers.of({
    handler: <G extends Given, A, E>(options: CachedAnswer<G, A, E>) => {
      const { name, schema, key, load, freshFor, staleFor, until, budget } = options
      const encode = Schema.encodeSync(schema)
      const encoded = ({ value, whenCached, dataAt, until }: Loaded<A>) => ({
        value: encode(value),
        ...(whenCached === undefined ? {} : { whenCached: encode(whenCached) }),
        dataAt,
        until,
      })
      return (given: G) => {
        // What is remembered must not hold on to the request.
        const { request, endpoint, group } = given
        const address: AddressOf<G> = { ...given, request: undefined, endpoint: undefined, group: undefined }
        const entry = {
          name,
          key: key === undefined ? "" : key(address),
          load: Effect.map(load(address), encoded),
          freshFor,
          staleFor,
          until,
          budget,
          isOutage,
        }
        const answered = Effect.catchIf(cache.get(entry), (failure) => failure instanceof LoadTooSlow, tooSlow)
        return answered.pipe(
          Effect.flatMap((cached) => {
            const rule = Context.get(endpoint.annotations, AccessRule)
            if (rule.units === undefined && rule.key === "needed") {
              remember(request.originalUrl, {
                id: idOf(entry),
                name,
                rule,
                family: group.identifier,
                route: endpoint.path,
                renew: answered,
              })
            }
            return sendCached(request, cached, clock.currentTimeMillisUnsafe())
          }),
        )
      }
    },
  })
})
