import { Clock, Context, Duration, Effect, Layer } from "effect"
import { catalogueLag } from "#src/catalogue/gameState.ts"
import { nameStore } from "#src/catalogue/NameStore.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { cachedBriefly } from "#src/platform/process/cachedBriefly.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type EventQuery, Gamma } from "#src/upstream/gamma/Gamma.ts"
import { type EventKey, eventStore, type GamesQuery } from "./EventStore.ts"
import { makeFirstGood, type SourceAnswer } from "./firstGood.ts"
import { fromVenue, isClosedOf, selectGames } from "./fromVenue.ts"
import { Leagues } from "./Leagues.ts"
import { type NoSource, type Sourced, type SportsEvent, UnknownSport } from "./model.ts"
import { sportsFreshFor, sportsStaleFor } from "./settings.ts"

/** An event and, if it names a game, the other events of that game. */
export interface FoundGame {
  readonly event: SportsEvent
  readonly related: ReadonlyArray<SportsEvent>
  /** Of the event that names the game. */
  readonly gameSlug: string
}

/** Somebody waits for it. */
const venueTimeout = "1500 millis"
/** The lists of the venue are read this far. */
const perRequest = 100
const mostRequests = 5

/** Games by league and by name, from the best source that answers. */
export class Listings extends Context.Service<
  Listings,
  {
    readonly games: (
      league: string,
      query: GamesQuery,
    ) => Effect.Effect<
      Sourced<ReadonlyArray<SportsEvent>> & { readonly series: number | null },
      UnknownSport | NoSource
    >
    readonly game: (key: EventKey) => Effect.Effect<Sourced<FoundGame>, UnknownSport | NoSource>
    /** As of when the catalogue's open events are known. */
    readonly knownAt: Effect.Effect<number | undefined>
  }
>()("presage/sports/Listings") {
  static readonly layer = Layer.effect(
    Listings,
    Effect.suspend(() => make),
  )
}

const kindOf = { slug: "game", event: "event", market: "market" } as const

const make = Effect.gen(function* () {
  const { reads, lookups } = yield* Postgres
  const config = yield* Configuration
  const gamma = yield* Gamma
  const leagues = yield* Leagues
  const store = eventStore(reads, lookups)
  const names = nameStore(reads)
  const staleMillis = () => Duration.toMillis(config.get(sportsStaleFor))
  const firstGames = makeFirstGood<ReadonlyArray<SportsEvent>>(staleMillis)
  const firstGame = makeFirstGood<FoundGame>(staleMillis)
  const knownAt = yield* cachedBriefly(Effect.option(store.knownAt), "1 second")

  const known = Effect.map(knownAt, (at) => (at._tag === "Some" ? at.value : undefined))
  const isFresh = (at: number | undefined, now: number) =>
    at !== undefined && now - at <= Duration.toMillis(config.get(sportsFreshFor))

  const inCatalogue = <A>(value: A, at: number | undefined, now: number): Sourced<A> => ({
    value,
    source: "catalogue",
    fallback: false,
    stale: !isFresh(at, now),
    at: at ?? 0,
  })
  const atVenue = <A>(value: A, source: "gamma" | "gamma_alternate", now: number): Sourced<A> => ({
    value,
    source,
    fallback: source === "gamma_alternate",
    stale: false,
    at: now,
  })

  const allPages = Effect.fnUntraced(function* (query: EventQuery) {
    const found: Array<SportsEvent> = []
    let after: string | undefined
    for (let request = 0; request < mostRequests; request++) {
      const page = yield* gamma.events(query, { limit: perRequest, after, attempts: 1 })
      found.push(...page.items.map(fromVenue))
      after = page.next
      if (after === undefined) break
    }
    return found
  })
  const allOffsets = Effect.fnUntraced(function* (query: EventQuery) {
    const found: Array<SportsEvent> = []
    for (let request = 0; request < mostRequests; request++) {
      const items = yield* gamma.alternateEvents(query, {
        limit: perRequest,
        offset: request * perRequest,
        attempts: 1,
      })
      found.push(...items.map(fromVenue))
      if (items.length === 0) break
    }
    return found
  })

  /** The venue's lists lag behind its live scores, which we may have heard. */
  const withHeard = Effect.fnUntraced(function* (events: ReadonlyArray<SportsEvent>, now: number) {
    const ids = events.flatMap(({ game }) => game?.id ?? [])
    const heard = yield* Effect.orElseSucceed(store.heardSince(ids, now - catalogueLag), () => new Map())
    return events.map((event): SportsEvent => ({ ...event, game: heard.get(event.game?.id ?? "") ?? event.game }))
  })

  const games = Effect.fn("Listings.games")(function* (code: string, query: GamesQuery) {
    const league = yield* leagues.find(code)
    const { series } = league.value
    if (series === null) return { ...league, value: [], series }
    const now = yield* Clock.currentTimeMillis
    const at = yield* known
    const listed = (source: "gamma" | "gamma_alternate", read: typeof allPages) =>
      Effect.forEach(isClosedOf(query.status), (closed) =>
        read({ series, closed, order: "endDate", ascending: false }),
      ).pipe(
        Effect.timeout(venueTimeout),
        Effect.flatMap((parts) => withHeard(parts.flat(), now)),
        Effect.map((events) => atVenue(selectGames(events, query), source, now)),
      )
    const answer = yield* firstGames(JSON.stringify([code, query]), now, {
      catalogue: Effect.map(store.games({ ...query, series }), (events) => inCatalogue(events, at, now)),
      venue: [listed("gamma", allPages), listed("gamma_alternate", allOffsets)],
      isFinal: true,
    })
    return { ...(answer ?? atVenue([], "gamma", now)), series }
  })

  const queryOf = Effect.fnUntraced(function* (key: EventKey) {
    if (key.by === "slug") return { slugs: [key.value] }
    if (key.by === "event") return { ids: [key.value] }
    const { items } = yield* gamma.markets("id", [key.value])
    const event = items[0]?.event ?? undefined
    return event === undefined ? undefined : { ids: [event] }
  })

  const isSports = ({ game, series }: SportsEvent) =>
    game !== null || series === null ? Effect.succeed(game !== null) : leagues.hasSeries(series)

  const found = (
    source: "gamma" | "gamma_alternate",
    key: EventKey,
    now: number,
    read: (query: EventQuery) => Effect.Effect<ReadonlyArray<SportsEvent>, unknown>,
  ): SourceAnswer<FoundGame> =>
    Effect.gen(function* () {
      const query = yield* queryOf(key)
      const [event] = yield* withHeard(query === undefined ? [] : yield* read(query), now)
      if (event === undefined || !(yield* isSports(event))) return undefined
      // The venue finds games by number only.
      const game = /^\d+$/.test(event.game?.id ?? "") ? event.game?.id : undefined
      const ofGame = game === undefined ? [] : yield* read({ game })
      const isWhole = event.parent === null && key.by !== "market"
      const related = isWhole ? ofGame.filter(({ id }) => id !== event.id) : []
      const main = event.parent === null ? event : ofGame.find(({ id }) => id === event.parent)
      return atVenue({ event, related, gameSlug: (main ?? event).slug }, source, now)
    }).pipe(Effect.timeout(venueTimeout))

  const firstPage = (query: EventQuery) =>
    Effect.map(gamma.events(query, { limit: perRequest, attempts: 1 }), ({ items }) => items.map(fromVenue))
  const firstOffset = (query: EventQuery) =>
    Effect.map(gamma.alternateEvents(query, { limit: perRequest, offset: 0, attempts: 1 }), (items) =>
      items.map(fromVenue),
    )

  const storedGame = (key: EventKey, at: number | undefined, now: number): SourceAnswer<FoundGame> =>
    Effect.gen(function* () {
      const row = yield* store.find(key)
      if (row === undefined) return undefined
      const { event } = row
      const main = event.parent === null || event.game === null ? undefined : yield* store.slugOfGame(event.game.id)
      const answer = inCatalogue({ ...row, gameSlug: main ?? event.slug }, at, now)
      // What is over does not change.
      return event.closed ? { ...answer, stale: false } : answer
    })

  const nearestTo = (key: EventKey) =>
    key.by !== "slug"
      ? Effect.succeed([])
      : names.unknown({ kind: "event", value: key.value }).pipe(
          Effect.map(({ nearest }) => (nearest === undefined ? [] : [nearest])),
          Effect.orElseSucceed((): ReadonlyArray<string> => []),
        )

  const game = Effect.fn("Listings.game")(function* (key: EventKey) {
    const now = yield* Clock.currentTimeMillis
    const at = yield* known
    const answer = yield* firstGame(`${key.by} ${key.value}`, now, {
      catalogue: storedGame(key, at, now),
      venue: [found("gamma", key, now, firstPage), found("gamma_alternate", key, now, firstOffset)],
      isFinal: false,
    })
    if (answer !== undefined) return answer
    return yield* new UnknownSport({
      kind: kindOf[key.by],
      value: String(key.value),
      nearest: yield* nearestTo(key),
    })
  })

  return Listings.of({ games, game, knownAt: known })
})
