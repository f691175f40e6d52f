import { Effect } from "effect"
import type { EventKey } from "#src/sports/EventStore.ts"
import { CachedAnswers, type CachedEndpoint, type Loaded, type RawRequest } from "../../caching/CachedAnswers.ts"
import type { BadInput, NotFound, Unavailable } from "../../server/errors.ts"
import { gatewayByHost } from "../../server/gatewayAddress.ts"
import { eventKey, marketKey, slugKey } from "./find.ts"

interface GameRequest<Params, Query> extends RawRequest {
  readonly params: Params
  readonly query?: Query
}

type Refused = BadInput | NotFound | Unavailable
type Options<A> = Pick<
  CachedEndpoint<never, A, never>,
  "freshFor" | "staleFor" | "isLocal" | "namesHost" | "budget" | "schema"
>
/** `ws` is the address of the streams for the client. */
type Read<Query, A> = (key: EventKey, query: Query | undefined, ws: string) => Effect.Effect<Loaded<A>, Refused>

/**
 * Clients that poll a game in play share an answer. It lives so shortly that a new score is in it within 250 ms. The venue may
 * be asked for the game and its prices one after the other.
 */
export const whileInPlay = { freshFor: 100, staleFor: 0, isLocal: true, namesHost: true, budget: 10_000 } as const

/** Makes the handlers for the three keys of a game; `name` is that of their cached answers. */
export const gameHandlers = Effect.map(
  Effect.all([CachedAnswers, gatewayByHost]),
  ([answers, gatewayOf]) =>
    <Query, A>(name: string, options: Options<A>, read: Read<Query, A>) => {
      const by = <Params>(what: string, keyOf: (params: Params) => EventKey) =>
        answers.handler<GameRequest<Params, Query>, A, Refused>({
          ...options,
          name: `${name}-${what}`,
          key: ({ params, query }, host) =>
            JSON.stringify([params, query, ...(options.namesHost === true ? [gatewayOf(host)] : [])]),
          load: ({ params, query }, host) => read(keyOf(params), query, String(gatewayOf(host))),
        })
      return { bySlug: by("slug", slugKey), byEvent: by("event", eventKey), byMarket: by("market", marketKey) }
    },
)
