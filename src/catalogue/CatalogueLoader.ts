import { Clock, Duration, Effect, Ref, Semaphore } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { Closing } from "#src/domain/Catalogue.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { type EventQuery, Gamma, mostKeys, type PageOptions } from "#src/upstream/gamma/Gamma.ts"
import { catalogueStore } from "./CatalogueStore.ts"
import { catalogueWriter } from "./CatalogueWriter.ts"
import { referenceStore } from "./ReferenceStore.ts"
import * as settings from "./settings.ts"
import { upDownSlugs } from "./upDownSlugs.ts"

/** Whole events are large, so fewer are asked for by name at a time than the venue would answer. */
const eventsByName = 50

/** What is closed later than this after it was to end is not part of the first load. */
const usualDelay = 2 * 86_400_000
/** Markets that are closed so long after they were to end are left to the sweep: to look through all of time is slow. */
const longestDelay = 30 * 86_400_000
/** Closings may appear a little late in the venue's list. */
const closingsOverlap = 120_000
/** Numbers of tokens are committed a little out of order. */
const tokenOverlap = 10_000

const chunksOf = <A>(list: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))

/** The ways in which the catalogue is brought up to date. Each may be broken off at any point and done again. */
export const catalogueLoader = (tx: Lease["tx"]) =>
  Effect.gen(function* () {
    const gamma = yield* Gamma
    const config = yield* Configuration
    const store = yield* catalogueStore
    const reference = yield* referenceStore
    const write = yield* catalogueWriter(tx)
    // What was asked for earlier must not be written later: nobody asks before the one before has written.
    const turn = yield* Semaphore.make(1)
    const tokensSeen = yield* Ref.make(0)

    const loadPage = (query: EventQuery, page: PageOptions, also?: Effect.Effect<void, SqlError>) =>
      turn.withPermit(
        Effect.gen(function* () {
          const askedAt = yield* Clock.currentTimeMillis
          const answer = yield* gamma.events(query, page)
          yield* write({ events: answer.items, askedAt }, also)
          return answer
        }),
      )

    const loadIds = (ids: ReadonlyArray<number>, also?: Effect.Effect<void, SqlError>) =>
      loadPage({ ids }, { limit: eventsByName }, also)

    const loadStrays = (keys: ReadonlyArray<number>) =>
      turn.withPermit(
        Effect.gen(function* () {
          const askedAt = yield* Clock.currentTimeMillis
          const { items } = yield* gamma.markets("id", keys)
          yield* write({ events: [], strays: items.filter(({ event }) => event === null), askedAt })
        }),
      )

    /** Everything that is open, and what has become of the rest of what was open before. */
    const sweep = Effect.gen(function* () {
      const seen = new Set<number>()
      let after: string | undefined
      do {
        const page = yield* loadPage({ closed: false }, { limit: config.get(settings.pageSize), after })
        for (const { id } of page.items) seen.add(id)
        after = page.next
      } while (after !== undefined)
      const now = yield* Clock.currentTimeMillis
      const awaited = yield* store.awaited(now - Duration.toMillis(config.get(settings.closedWindow)))
      for (const ids of chunksOf(
        awaited.filter((id) => !seen.has(id)),
        eventsByName,
      )) {
        const { items, whole } = yield* loadIds(ids)
        const found = new Set(items.map(({ id }) => id))
        const gone = ids.filter((id) => !found.has(id))
        if (whole && gone.length > 0) yield* tx(store.withdraw(gone))
      }
      return seen.size
    })

    /** Pages of the newest events, until one has nothing unknown. */
    const news = Effect.gen(function* () {
      let after: string | undefined
      do {
        const page = yield* turn.withPermit(
          Effect.gen(function* () {
            const askedAt = yield* Clock.currentTimeMillis
            const query = { closed: false, order: "startDate", ascending: false } as const
            const answer = yield* gamma.events(query, { limit: eventsByName, after })
            const known = yield* store.knownEvents(answer.items.map(({ id }) => id))
            const fresh = answer.items.filter(({ id }) => !known.has(id))
            yield* write({ events: fresh, askedAt })
            return { next: fresh.length === 0 ? undefined : answer.next }
          }),
        )
        after = page.next
      } while (after !== undefined)
    })

    const closingsSince = (floor: number) =>
      Effect.gen(function* () {
        const found: Array<Closing> = []
        let after: string | undefined
        do {
          const page = yield* gamma.closings(floor - longestDelay, { limit: mostKeys, after })
          found.push(...page.items.filter(({ closedAt }) => closedAt >= floor))
          const oldest = page.items.at(-1)?.closedAt ?? floor
          after = oldest < floor ? undefined : page.next
        } while (after !== undefined)
        return found
      })

    /** The first time: in the venue's own order, which costs it least, and then everything that comes after. */
    const closedBefore = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const floor = now - Duration.toMillis(config.get(settings.closedWindow))
      const newest = (yield* gamma.closings(now - longestDelay, { limit: 1 })).items[0]?.closedAt ?? now
      let after: string | undefined
      do {
        const page = yield* turn.withPermit(
          Effect.gen(function* () {
            const askedAt = yield* Clock.currentTimeMillis
            const query = { closed: true, endsAfter: floor - usualDelay }
            const answer = yield* gamma.events(query, { limit: config.get(settings.pageSize), after })
            yield* write({ events: answer.items.filter(({ closedAt }) => (closedAt ?? now) >= floor), askedAt })
            return answer
          }),
        )
        after = page.next
      } while (after !== undefined)
      yield* tx(reference.reached("closings", newest))
    })

    /** What was closed since the last time, the oldest first, so that breaking off leaves no hole. */
    const closingsAfter = (reached: number) =>
      Effect.gen(function* () {
        const floor = reached - closingsOverlap
        const all = yield* closingsSince(floor)
        const known = new Set<number>()
        for (const ids of chunksOf(all, 1_000))
          for (const id of yield* store.knownClosed(ids.map(({ market }) => market))) known.add(id)
        const fresh = all.filter(({ market }) => !known.has(market)).sort((a, b) => a.closedAt - b.closedAt)
        const done = new Set<number>()
        for (const part of chunksOf(fresh, eventsByName)) {
          const events = new Set(part.flatMap(({ event }) => event ?? []))
          for (const id of events) if (done.has(id)) events.delete(id)
          const last = part.at(-1)?.closedAt ?? floor
          if (events.size > 0) yield* loadIds([...events], reference.reached("closings", last))
          for (const id of events) done.add(id)
          const strays = part.flatMap(({ event, market }) => (event === null ? [market] : []))
          if (strays.length > 0) yield* loadStrays(strays)
        }
        const newest = Math.max(floor, ...all.slice(0, 1).map(({ closedAt }) => closedAt))
        yield* tx(reference.reached("closings", newest))
      })

    const closings = Effect.flatMap(reference.progress("closings"), (reached) =>
      reached === undefined ? closedBefore : closingsAfter(reached),
    )

    /** The windows that run now and the next ones, which lists may leave out. */
    const upDownWindows = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const slugs = upDownSlugs(yield* store.recurringSeries, now)
      for (const part of chunksOf(slugs, eventsByName)) yield* loadPage({ slugs: part }, { limit: eventsByName })
    })

    /** Looks up the markets of tokens; what the venue does not list is tried again later and later. */
    const ensureTokens = (tokens: ReadonlyArray<string>) =>
      Effect.forEach(
        chunksOf(tokens, mostKeys),
        (part) =>
          Effect.gen(function* () {
            const byToken = yield* gamma.markets("token", part)
            const named = new Set(byToken.items.flatMap((market) => market.tokens))
            const rest = part.filter((token) => !named.has(token))
            const byPosition = rest.length === 0 ? [] : (yield* gamma.markets("position", rest)).items
            const markets = [...byToken.items, ...byPosition]
            const events = [...new Set(markets.flatMap(({ event }) => event ?? []))]
            for (const ids of chunksOf(events, eventsByName)) yield* loadIds(ids)
            const strays = markets.flatMap(({ id, event }) => (event === null ? [id] : []))
            if (strays.length > 0) yield* loadStrays(strays)
            const listed = new Set(markets.flatMap((market) => market.tokens))
            const unlisted = part.filter((token) => !listed.has(token))
            yield* tx(reference.unlisted(unlisted, yield* Clock.currentTimeMillis))
          }),
        { discard: true },
      )

    /** The markets that fills mention and nobody told of. */
    const mentioned = Effect.gen(function* () {
      const last = yield* reference.lastToken
      const fresh = yield* reference.tokensWithoutMarket(yield* Ref.get(tokensSeen), mostKeys * 5)
      const again = yield* reference.tokensToTryAgain(yield* Clock.currentTimeMillis, mostKeys)
      yield* ensureTokens([...fresh, ...again])
      if (fresh.length < mostKeys * 5) yield* Ref.set(tokensSeen, Math.max(0, last - tokenOverlap))
    })

    const references = Effect.gen(function* () {
      const tags = yield* gamma.tags
      const series = yield* gamma.series
      const teams = yield* gamma.teams
      const leagues = yield* gamma.leagues
      const types = yield* gamma.marketTypes
      yield* tx(
        Effect.gen(function* () {
          yield* reference.writeTags(tags.items)
          yield* reference.writeSeries(series.items)
          yield* reference.writeTeams(teams.items)
          yield* reference.writeLeagues(leagues.items)
          yield* reference.writeMarketTypes(types)
        }),
      )
    })

    const forgetHistory = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      yield* tx(store.forgetHistory(now - Duration.toMillis(config.get(settings.historyRetention))))
    })

    return { sweep, news, closings, upDownWindows, ensureTokens, mentioned, references, forgetHistory }
  })
