import { Array as Arr, Clock, Duration, Effect, Ref, Semaphore } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { Closing } from "#src/domain/Catalogue.ts"
import { dayMillis } from "#src/domain/time.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type EventQuery, Gamma, maxKeys, type PageOptions } from "#src/upstream/gamma/Gamma.ts"
import * as CatalogueStore from "./CatalogueStore.ts"
import { type Batch, catalogueWriter } from "./CatalogueWriter.ts"
import { referenceLists } from "./ReferenceLists.ts"
import * as ReferenceStore from "./ReferenceStore.ts"
import { nameAll } from "./SportsNameStore.ts"
import { countLeague, forgetLeagues, leagueCodes } from "./SummaryStore.ts"
import * as settings from "./settings.ts"
import { upDownSlugs } from "./upDownSlugs.ts"
import { WrittenEvents } from "./WrittenEvents.ts"

/** Events are large, so a request asks for fewer than the venue allows. */
const eventsPerRequest = 50
/** Everything else of the process waits while the rows of a transaction are made. */
const eventsPerWrite = 25

/** The first load leaves out markets that closed later than this after their end date. */
const usualDelay = 2 * dayMillis
/** Markets that close even later are left to the sweep, because a search without a lower bound is slow. */
const longestDelay = 30 * dayMillis
/** Closings may appear late in the venue's list. */
const closingsOverlap = 120_000
/** Looked up at the same time; an event is then loaded once for all its tokens among them. */
const tokensPerRound = 4 * maxKeys
/** Token ids are committed slightly out of order. */
const tokenOverlap = 10_000

/** The updates of the catalogue. Each can be interrupted at any point and repeated. */
export const catalogueLoader = (tx: Lease["tx"]) =>
  Effect.gen(function* () {
    const gamma = yield* Gamma
    const config = yield* Configuration
    const { sql, reads } = yield* Postgres
    const write = yield* catalogueWriter(tx)
    // An older response must not be written after a newer one, so request and write run one at a time.
    const oneAtATime = yield* Semaphore.make(1)
    const tokensSeen = yield* Ref.make(0)

    const written = new WrittenEvents()

    /** Writes a page in several transactions: all of them are repeated if one fails. */
    const writeEvents = Effect.fnUntraced(function* ({ events, unchanged = [], requestedAt }: Batch) {
      const [first = [], ...rest] = Arr.chunksOf(events, eventsPerWrite)
      if (first.length + unchanged.length > 0) yield* write({ events: first, unchanged, requestedAt })
      for (const part of rest) yield* write({ events: part, requestedAt })
    })

    const loadPage = (query: EventQuery, options: PageOptions) =>
      oneAtATime.withPermit(
        Effect.gen(function* () {
          const requestedAt = yield* Clock.currentTimeMillis
          const page = yield* gamma.events(query, { ...options, known: written.unchangedAt(requestedAt) })
          const ids = page.items.map(({ id }) => id)
          const unchanged = written.gamesOf(
            page.known.filter((id) => !ids.includes(id)),
            requestedAt,
          )
          // If only a part is written, what was written before is not what is stored.
          written.forget(ids)
          yield* writeEvents({ events: page.items, unchanged, requestedAt })
          written.remember(page, requestedAt)
          return page
        }),
      )

    /** `also` follows in a transaction of its own: both can be repeated. */
    const loadIds = (ids: ReadonlyArray<number>, also?: Effect.Effect<void, SqlError>) =>
      Effect.gen(function* () {
        const found: Array<number> = []
        const skipped: Array<number | null> = []
        let after: string | undefined
        do {
          const page = yield* loadPage({ ids }, { limit: eventsPerRequest, after })
          found.push(...page.known, ...page.items.map(({ id }) => id))
          skipped.push(...page.skipped)
          after = page.next
        } while (after !== undefined)
        if (also !== undefined) yield* tx(also)
        return { found, skipped }
      })

    const loadStandalone = (keys: ReadonlyArray<number>) =>
      oneAtATime.withPermit(
        Effect.gen(function* () {
          const requestedAt = yield* Clock.currentTimeMillis
          const { items } = yield* gamma.markets("id", keys)
          yield* write({ events: [], standaloneMarkets: items.filter(({ event }) => event === null), requestedAt })
        }),
      )

    /** One league at a time: scores wait for the end of a transaction that counts theirs. */
    const countLeagues = Effect.gen(function* () {
      yield* tx(forgetLeagues(sql))
      for (const code of yield* leagueCodes(reads)) yield* tx(countLeague(sql, code, yield* Clock.currentTimeMillis))
    })

    /** All open events, and the current state of those that were open before. Returns the number of open events. */
    const sweep = Effect.gen(function* () {
      const startedAt = yield* Clock.currentTimeMillis
      const seen = new Set<number>()
      let after: string | undefined
      do {
        const page = yield* loadPage({ closed: false }, { limit: config.get(settings.pageSize), after })
        for (const id of [...page.known, ...page.items.map((event) => event.id)]) seen.add(id)
        after = page.next
      } while (after !== undefined)
      const now = yield* Clock.currentTimeMillis
      const unfinished = yield* CatalogueStore.unfinishedEvents(
        reads,
        now - Duration.toMillis(config.get(settings.closedWindow)),
      )
      for (const ids of Arr.chunksOf(
        unfinished.filter((id) => !seen.has(id)),
        eventsPerRequest,
      )) {
        const { found, skipped } = yield* loadIds(ids)
        const listed = new Set([...found, ...skipped])
        const gone = ids.filter((id) => !listed.has(id))
        // An undecodable row without an id may be any of them.
        if (!listed.has(null) && gone.length > 0) {
          yield* oneAtATime.withPermit(
            Effect.andThen(
              tx(CatalogueStore.archive(sql, gone)),
              Effect.sync(() => written.forget(gone)),
            ),
          )
        }
      }
      yield* countLeagues
      yield* tx(ReferenceStore.setProgress(sql, "sweep", startedAt))
      return seen.size
    })

    /** Pages of the newest events, until a page has no unknown event. */
    const newEvents = Effect.gen(function* () {
      let after: string | undefined
      do {
        const page = yield* oneAtATime.withPermit(
          Effect.gen(function* () {
            const requestedAt = yield* Clock.currentTimeMillis
            const query = { closed: false, order: "startDate", ascending: false } as const
            const known = { ...written.unchangedAt(requestedAt), withId: (id: number) => written.has(id) }
            const response = yield* gamma.events(query, { limit: eventsPerRequest, after, known })
            const stored = yield* CatalogueStore.knownEvents(
              reads,
              response.items.map(({ id }) => id),
            )
            const fresh = response.items.filter(({ id }) => !stored.has(id))
            yield* writeEvents({ events: fresh, requestedAt })
            written.remember({ ...response, items: fresh }, requestedAt)
            return { next: fresh.length === 0 ? undefined : response.next }
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
          const page = yield* gamma.closings(floor - longestDelay, { limit: maxKeys, after })
          found.push(...page.items.filter(({ closedAt }) => closedAt >= floor))
          const oldest = page.items.at(-1)?.closedAt ?? floor
          after = oldest < floor ? undefined : page.next
        } while (after !== undefined)
        return found
      })

    /** First load of closed events, in the venue's default order, which is its cheapest. */
    const firstClosings = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const floor = now - Duration.toMillis(config.get(settings.closedWindow))
      const newest = (yield* gamma.closings(now - longestDelay, { limit: 1 })).items[0]?.closedAt ?? now
      let after: string | undefined
      do {
        const page = yield* oneAtATime.withPermit(
          Effect.gen(function* () {
            const requestedAt = yield* Clock.currentTimeMillis
            const query = { closed: true, endsAfter: floor - usualDelay }
            const response = yield* gamma.events(query, { limit: config.get(settings.pageSize), after })
            const events = response.items.filter(({ closedAt }) => (closedAt ?? now) >= floor)
            yield* writeEvents({ events, requestedAt })
            return response
          }),
        )
        after = page.next
      } while (after !== undefined)
      yield* tx(
        Effect.andThen(
          ReferenceStore.setProgress(sql, "closed-since", floor),
          ReferenceStore.setProgress(sql, "closings", newest),
        ),
      )
    })

    /** Closings since the last progress, oldest first, so that an interruption leaves no gap. */
    const closingsAfter = (reached: number) =>
      Effect.gen(function* () {
        const floor = reached - closingsOverlap
        const all = yield* closingsSince(floor)
        const known = new Set<number>()
        for (const ids of Arr.chunksOf(all, 1_000))
          for (const id of yield* CatalogueStore.knownClosed(
            reads,
            ids.map(({ market }) => market),
          ))
            known.add(id)
        const fresh = all.filter(({ market }) => !known.has(market)).sort((a, b) => a.closedAt - b.closedAt)
        const done = new Set<number>()
        for (const part of Arr.chunksOf(fresh, eventsPerRequest)) {
          const events = new Set(part.flatMap(({ event }) => event ?? []))
          for (const id of events) if (done.has(id)) events.delete(id)
          const last = part.at(-1)?.closedAt ?? floor
          if (events.size > 0) yield* loadIds([...events], ReferenceStore.setProgress(sql, "closings", last))
          for (const id of events) done.add(id)
          const standalone = part.flatMap(({ event, market }) => (event === null ? [market] : []))
          if (standalone.length > 0) yield* loadStandalone(standalone)
        }
        const newest = Math.max(floor, ...all.slice(0, 1).map(({ closedAt }) => closedAt))
        yield* tx(ReferenceStore.setProgress(sql, "closings", newest))
      })

    const closings = Effect.flatMap(ReferenceStore.progress(reads, "closings"), (reached) =>
      reached === undefined ? firstClosings : closingsAfter(reached),
    )

    /** The current and next windows, which the lists may leave out. */
    const upDownWindows = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const slugs = upDownSlugs(yield* CatalogueStore.recurringSeries(reads), now)
      for (const part of Arr.chunksOf(slugs, eventsPerRequest))
        yield* loadPage({ slugs: part }, { limit: eventsPerRequest })
    })

    const marketsOf = (tokens: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const byToken = yield* gamma.markets("token", tokens)
        const named = new Set(byToken.items.flatMap((market) => market.tokens))
        const rest = tokens.filter((token) => !named.has(token))
        const byPosition = rest.length === 0 ? [] : (yield* gamma.markets("position", rest)).items
        return [...byToken.items, ...byPosition]
      })

    /** Loads the markets of tokens. Tokens that the venue does not list are retried with back-off. */
    const ensureTokens = (tokens: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const found = yield* Effect.forEach(Arr.chunksOf(tokens, maxKeys), marketsOf, { concurrency: "unbounded" })
        const markets = found.flat()
        const events = [...new Set(markets.flatMap(({ event }) => event ?? []))]
        for (const ids of Arr.chunksOf(events, eventsPerRequest)) yield* loadIds(ids)
        const standalone = [...new Set(markets.flatMap(({ id, event }) => (event === null ? [id] : [])))]
        for (const ids of Arr.chunksOf(standalone, maxKeys)) yield* loadStandalone(ids)
        const listed = new Set(markets.flatMap((market) => market.tokens))
        const unlisted = tokens.filter((token) => !listed.has(token))
        yield* tx(ReferenceStore.markUnlisted(sql, unlisted, yield* Clock.currentTimeMillis))
      })

    /** The markets of all tokens that fills have mentioned so far and the catalogue does not contain. */
    const tokensSoFar = Effect.gen(function* () {
      const newest = yield* ReferenceStore.lastToken(reads)
      const retries = yield* ReferenceStore.tokensToRetry(reads, yield* Clock.currentTimeMillis, maxKeys)
      yield* ensureTokens(retries)
      for (let after = yield* Ref.get(tokensSeen), more = true; more; ) {
        const { names, last } = yield* ReferenceStore.tokensWithoutMarket(reads, after, tokensPerRound)
        yield* ensureTokens(names)
        after = last
        more = names.length === tokensPerRound
      }
      yield* Ref.set(tokensSeen, Math.max(0, newest - tokenOverlap))
    })

    /** The same once the history is read: the catalogue then has every market that the ledger mentions. */
    const mentionedTokens = Effect.gen(function* () {
      yield* tokensSoFar
      yield* tx(ReferenceStore.setProgress(sql, "mentioned", yield* Clock.currentTimeMillis))
    })

    const references = Effect.andThen(referenceLists(gamma, sql, tx), Effect.andThen(tx(nameAll(sql)), countLeagues))

    const pruneHistory = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      yield* tx(CatalogueStore.deleteHistory(sql, now - Duration.toMillis(config.get(settings.historyRetention))))
    })

    return {
      sweep,
      newEvents,
      closings,
      upDownWindows,
      ensureTokens,
      tokensSoFar,
      mentionedTokens,
      references,
      pruneHistory,
    }
  })
