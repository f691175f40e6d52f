import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { BookCache } from "#src/books/BookCache.ts"
import { shardOf } from "#src/books/model.ts"
import { booksShards } from "#src/books/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { fault, heal } from "#test/ticks/support.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { eventsOf, loadCatalogue, mainEvents, SportsVenue, sportsWorld } from "./support/sportsWorld.ts"
import { byId, type Json, marketOf, shownMarket, slugs, venueSays } from "./support/venueAnswers.ts"

const minute = 60_000
const found = Effect.fnUntraced(function* (key: string, path: string) {
  const { status, json, text, headers } = yield* askWith(key, `/v2/sports${path}`)
  assert.strictEqual(status, 200, `${path}: ${text}`)
  assert.match(String(headers["x-data-age-ms"]), /^\d+$/, path)
  return json
})

layer(sportsWorld(280), { excludeTestServices: true })("Sports", (it) => {
  it.effect("lists leagues, teams and types of markets as the venue has them", () =>
    Effect.gen(function* () {
      yield* loadCatalogue
      const { key } = yield* keyOf("growth")
      const sports: ReadonlyArray<Json> = yield* venueSays("/gamma/sports")
      const { leagues, count } = yield* found(key, "/leagues")
      assert.strictEqual(count, sports.length)
      assert.deepStrictEqual(
        leagues,
        sports
          .map(({ id, sport, name, image, resolution, ordering, tags, series }) => ({
            id,
            sport,
            name,
            image,
            resolution,
            ordering,
            tags,
            series,
          }))
          .sort(byId),
      )
      const venueTeams: ReadonlyArray<Json> = yield* venueSays("/gamma/teams?league=nba&limit=100")
      const { teams, league } = yield* found(key, "/leagues/NBA/teams")
      assert.strictEqual(league, "nba")
      const fields = ["id", "name", "league", "record", "logo", "abbreviation", "alias", "color", "providerId"]
      const picked = (team: Json) => Object.fromEntries(fields.map((name) => [name, team[name]]))
      assert.deepStrictEqual(
        teams.toSorted(byId),
        venueTeams.map(picked).sort((a, b) => Number(a["id"]) - Number(b["id"])),
      )
      const page = yield* found(key, "/leagues/nba/teams?limit=3&offset=2")
      assert.deepStrictEqual(page.teams, teams.slice(2, 5))

      const { marketTypes: codes } = yield* venueSays("/gamma/sports/market-types")
      const types = yield* found(key, "/market-types")
      assert.deepStrictEqual(types.marketTypes, codes.toSorted())
      const typeOf = (code: string) => types.types.find((type: { readonly code: string }) => type.code === code)
      assert.deepStrictEqual(typeOf("first_half_spreads"), {
        code: "first_half_spreads",
        label: "First half spreads",
        category: "spread",
      })
      assert.deepStrictEqual(typeOf("basketball_total_points").category, "total")
    }),
  )

  it.effect("lists the games of every league with their markets, filtered and sorted", () =>
    Effect.gen(function* () {
      const { simulation } = yield* SportsVenue
      const { key } = yield* keyOf("growth")
      const codes = new Set(mainEvents(simulation).map(({ plan }) => plan.game?.league ?? ""))
      assert.isAbove(codes.size, 4)
      for (const code of codes) {
        const answer = yield* found(key, `/leagues/${code}/games?limit=500`)
        assert.deepInclude(answer, {
          league: code,
          status: "active",
          source: "catalogue",
          fallback: false,
          stale: false,
        })
        const series = mainEvents(simulation).find(({ plan }) => plan.game?.league === code)?.plan.series?.id
        assert.strictEqual(answer.series_id, series)
        const listed: ReadonlyArray<Json> = yield* venueSays(`/gamma/events?series_id=${series}&closed=false&limit=100`)
        const expected = listed.filter(({ parentEventId }) => parentEventId === undefined)
        assert.deepStrictEqual(slugs(answer.games).toSorted(), expected.map(({ slug }) => String(slug)).toSorted())
        for (const game of answer.games) {
          const event = expected.find(({ slug }) => slug === game.slug) ?? {}
          assert.deepStrictEqual(
            [game.id, game.title, game.eventDate, game.startTime, game.closed],
            [
              event["id"],
              event["title"],
              event["eventDate"],
              new Date(String(event["startTime"])).toISOString(),
              false,
            ],
          )
          const markets = (event["markets"] as ReadonlyArray<Json>).map(marketOf).sort(byId)
          assert.deepStrictEqual(game.markets.map(shownMarket).sort(byId), markets)
          const { _links: links, clobTokenIds } = game.markets[0]
          assert.deepStrictEqual(links.ws_subscribe, {
            action: "subscribe",
            type: "orderbook",
            token_ids: clobTokenIds,
          })
          assert.match(links.ws, /^ws:\/\/.+\/ws$/)
          yield* found(key, links.orderbook_rest.replace("/v2/sports", ""))
        }
      }
      const ascending = yield* found(key, "/leagues/nba/games?sort=startTime&direction=asc")
      const times = ascending.games.map((game: Json) => game["startTime"])
      assert.deepStrictEqual(times, times.toSorted())
      const first = yield* found(key, "/leagues/nba/games?sort=startTime&direction=asc&limit=1")
      assert.deepStrictEqual(
        [slugs(first.games), first.has_more],
        [slugs(ascending.games).slice(0, 1), times.length > 1],
      )
      const rest = yield* found(key, "/leagues/nba/games?sort=startTime&direction=asc&offset=1")
      assert.deepStrictEqual(slugs(rest.games), slugs(ascending.games).slice(1))
      assert.deepInclude(yield* found(key, "/leagues/nba/games?status=live"), { count: 0 })
      assert.deepStrictEqual((yield* found(key, "/leagues/nba/games?status=SCHEDULED")).count, ascending.count)

      const summary = yield* found(key, "/summary")
      for (const row of summary.leagues) {
        const games = (yield* found(key, `/leagues/${row.league}/games?limit=500`)).games
        assert.deepStrictEqual([row.active_games, row.upcoming_games, row.live_games], [games.length, games.length, 0])
      }
      const live = yield* found(key, "/live")
      assert.deepStrictEqual(Object.keys(live.market_counts).toSorted(), [...codes].toSorted())
      const series = yield* found(key, "/series")
      assert.strictEqual(series.count, summary.count)
      const [one] = series.series
      assert.deepStrictEqual((yield* askWith(key, `/v2/sports/series/${one.id}`)).json, one)
      const { json: tournaments } = yield* askWith(key, "/v2/sports/tournaments")
      const cup = tournaments.tournaments.find((each: Json) => each["league"] === "nba")
      const rounds: ReadonlyArray<{ readonly roundSize: number }> = cup.phases
      assert.strictEqual(
        rounds.reduce((sum, { roundSize }) => sum + roundSize, 0),
        ascending.count,
      )
      assert.deepStrictEqual((yield* askWith(key, `/v2/sports/tournaments/${cup.id}`)).json, cup)
    }),
  )

  it.effect("finds a game by slug, event and market, with the markets of all its events", () =>
    Effect.gen(function* () {
      const { simulation } = yield* SportsVenue
      const { key } = yield* keyOf("growth")
      const isChosen = (_: unknown, i: number) => process.env.PRESAGE_SOAK === "1" || i % 3 === 0
      for (const main of mainEvents(simulation).filter(isChosen)) {
        const { slug, game } = main.plan
        const all = eventsOf(simulation).filter(({ plan }) => plan.game?.id === game?.id)
        const detail = yield* found(key, `/games/${slug}`)
        const expected = all.flatMap(({ plan }) => plan.markets.map((market) => market.slug))
        assert.deepStrictEqual(slugs(detail.markets).toSorted(), expected.toSorted(), slug)
        assert.deepStrictEqual(
          [detail.game_slug, slugs(detail.related_events).toSorted()],
          [slug, slugs(all.slice(1).map(({ plan }) => plan)).toSorted()],
        )
        assert.deepStrictEqual(
          detail.teams.map((team: Json) => [team["ordering"], team["name"]]),
          [
            ["home", game?.home.name],
            ["away", game?.away.name],
          ],
        )
        assert.include(detail.eventMetadata.context_description, game?.home.name)
        const { age_ms: _, score_state: __, ...byEvent } = yield* found(key, `/games/by-event/${main.id}`)
        assert.deepInclude(detail, byEvent)
        for (const { plan } of all) {
          const [market] = (yield* found(key, `/games/${plan.slug}`)).markets
          const parent = yield* found(key, `/games/by-market/${market.id}`)
          assert.deepStrictEqual([parent.slug, parent.game_slug], [plan.slug, slug])
          assert.deepStrictEqual(slugs(parent.markets), slugs(plan.markets))
        }
      }
    }),
  )

  it.effect("has the venue's prices, and those of our own books once they are followed", () =>
    Effect.gen(function* () {
      const { simulation, url } = yield* SportsVenue
      const { key } = yield* keyOf("growth")
      const [main] = mainEvents(simulation)
      const slug = main?.plan.slug
      const prices = yield* found(key, `/games/${slug}/prices?limit_tokens=500`)
      assert.deepInclude(prices, { source: "clob", truncated: false, stale: false, count: prices.total_tokens })
      const ids: ReadonlyArray<string> = prices.tokens.map((token: Json) => token["token_id"])
      const query = ids.map((token_id) => ({ token_id }))
      const mids = yield* venueSays("/clob/midpoints", query)
      const spreads = yield* venueSays("/clob/spreads", query)
      const sides = yield* venueSays(
        "/clob/prices",
        query.flatMap((id) => ["BUY", "SELL"].map((side) => ({ ...id, side }))),
      )
      const same = (text: string | null, value: string | undefined) =>
        assert.strictEqual(text === null ? 0 : Number(text), Number(value ?? 0))
      for (const { token_id, best_bid, best_ask, midpoint, spread } of prices.tokens) {
        same(best_bid, sides[token_id]?.BUY)
        same(best_ask, sides[token_id]?.SELL)
        if (midpoint !== null) same(midpoint, mids[token_id])
        if (spread !== null) same(spread, spreads[token_id])
      }
      assert.isTrue(prices.tokens.some(({ midpoint }: { midpoint: string | null }) => midpoint !== null))
      assert.deepStrictEqual(prices.subscribe.token_ids, ids)
      const few = yield* found(key, `/games/${slug}/prices?limit_tokens=3`)
      assert.deepInclude(few, { count: 3, truncated: true, total_tokens: ids.length })
      assert.deepInclude(yield* found(key, `/games/${slug}/prices?limit_tokens=0`), { count: 1 })
      const state = yield* found(key, `/games/${slug}/state?price_limit_tokens=1000`)
      assert.deepInclude(state.source, { metadata: "catalogue", prices: "clob", history: null })
      assert.strictEqual(state.subscribe.token_ids.length, Math.min(200, ids.length))

      const token = String(ids[0])
      const shards = (yield* Configuration).get(booksShards)
      const { now } = yield* SportsVenue
      const quote = {
        bid: 120_000,
        ask: 150_000,
        mid: 135_000,
        spread: 30_000,
        lastTrade: null,
        tickSize: 10_000,
        updatedAt: now(),
      }
      const depth = { condition: "ab", bids: [], asks: [], tickSize: 10_000, updatedAt: now() }
      const book = { ...depth, epoch: "1", seq: 1, checksum: "00000000", trades: 0 }
      const books = [{ token, shown: { quote, book }, change: undefined }]
      const heardAt = yield* Clock.currentTimeMillis
      yield* (yield* BookCache).publish(shardOf(token, shards), { epoch: 1n, number: 1, heardAt, books })
      const own = (yield* found(key, `/games/${slug}/prices`)).tokens[0]
      assert.deepInclude(own, {
        best_bid: "0.12",
        best_ask: "0.15",
        midpoint: "0.135",
        spread: "0.03",
        source: "books",
      })

      yield* fault(url, { upstream: "clob", channel: "http", kind: "down" })
      const late = yield* found(key, `/games/${slug}/prices?limit_tokens=20`)
      assert.deepInclude(late, { source: "catalogue", stale: true })
      const rows: ReadonlyArray<Json> = (yield* found(key, `/games/${slug}`)).markets
      assert.strictEqual(rows.length * 2, ids.length)
      yield* heal(url)
    }),
  )

  it.effect("has the venue's price history while the ledger does not cover the time", () =>
    Effect.gen(function* () {
      const { simulation, now } = yield* SportsVenue
      const { key } = yield* keyOf("growth")
      const [main] = mainEvents(simulation)
      const history = yield* found(key, `/games/${main?.plan.slug}/history?limit_tokens=50&fidelity=30`)
      assert.deepInclude(history, { source: "clob", fidelity: 30, count: 20, truncated: true, partial: false })
      const { start_ts, end_ts } = history
      assert.isAtMost(end_ts, Math.floor(now() / 1000))
      const markets = history.tokens.map((token: Json) => token["token_id"])
      const { history: expected } = yield* venueSays("/clob/batch-prices-history", {
        markets,
        start_ts,
        end_ts,
        fidelity: 30,
      })
      for (const { token_id, history: points } of history.tokens) assert.deepStrictEqual(points, expected[token_id])
      assert.isAbove(history.tokens[0].history.length, 5)
      const day = yield* found(key, `/games/by-event/${main?.id}/history?interval=1d`)
      assert.isAtMost(day.end_ts - day.start_ts, 86_400)
      const state = yield* found(key, `/games/${main?.plan.slug}/state?include_history=true&history_limit_tokens=2`)
      assert.deepStrictEqual([state.source.history, state.history.length], ["clob", 2])
    }),
  )

  it.effect("finds events, teams and leagues by names, abbreviations and misspelt names", () =>
    Effect.gen(function* () {
      const { simulation } = yield* SportsVenue
      const { key } = yield* keyOf("growth")
      const [main] = mainEvents(simulation).filter(({ plan }) => plan.game?.league === "nba")
      const { home, away } = main?.plan.game ?? {}
      const search = (q: string) => found(key, `/search?q=${encodeURIComponent(q)}`)
      const both = yield* search(`${away?.alias} ${home?.alias}`)
      assert.include(slugs(both.results), main?.plan.slug)
      const { results } = yield* search(String(home?.name.toUpperCase()))
      assert.deepInclude(results[0], { type: "team", title: home?.name, league: "nba", match: "words" })
      assert.isTrue(results.some((hit: Json) => hit["type"] === "event"))
      assert.deepInclude((yield* search(String(home?.abbreviation))).results[0], { type: "team", title: home?.name })
      assert.deepInclude((yield* search("epl")).results[0], { type: "league", slug: "epl", title: "Premier League" })
      assert.include(slugs((yield* search(String(home?.alias.slice(0, 4)))).results), main?.plan.slug, "a beginning")
      const name = String(home?.name)
      const begun = yield* search(name.replace(/(\S{3})\S+/g, "$1"))
      assert.isTrue(begun.results.some((hit: Json) => hit["title"] === home?.name && hit["match"] === "words"))
      const misspelt = `${name.slice(0, -3)}${name.at(-2)}${name.at(-3)}${name.at(-1)}`
      const similar = yield* search(misspelt)
      assert.isTrue(similar.results.some((hit: Json) => hit["title"] === home?.name && hit["match"] === "similar"))
      assert.deepInclude(yield* search("?!"), { count: 0 })
      assert.strictEqual((yield* found(key, `/search?q=nba&limit=2`)).count, 2)
    }),
  )

  it.effect("refuses what does not exist with the nearest name, and bad input with what is expected", () =>
    Effect.gen(function* () {
      const { simulation } = yield* SportsVenue
      const { key } = yield* keyOf("growth")
      const slug = mainEvents(simulation)[0]?.plan.slug ?? ""
      const other = simulation.model.world.venue.events.find(({ plan }) => plan.game === undefined)
      const refused = [
        ["/leagues/nbaa/games", 404, /Did you mean "nba"/],
        ["/leagues/nbaa/teams", 404, /Did you mean "nba"/],
        [`/games/${slug}x`, 404, new RegExp(`Did you mean "${slug}"`)],
        [`/games/${other?.plan.slug}`, 404, /There is no game/],
        [`/games/${slug.toUpperCase()}`, 404, new RegExp(`Did you mean "${slug}"`)],
        ["/leagues/nothing/games", 404, /GET \/v2\/sports\/leagues lists/],
        ["/games/by-event/999999999", 404, /There is no event.*GET \/v2\/sports\/search finds/],
        ["/games/by-market/999999999/state", 404, /There is no market/],
        ["/games/by-market/abc", 400, /market_id/],
        ["/series/1", 404, /There is no series/],
        ["/tournaments/1", 404, /There is no tournament/],
        ["/leagues/nba/games?status=playing", 400, /"scheduled"/],
        ["/leagues/nba/games?sort=name", 400, /"startTime"/],
        ["/leagues/nba/games?limit=501", 400, /500/],
        ["/leagues/nba/games?limit=0", 400, /1/],
        ["/leagues/nba/games?offset=-1", 400, /offset/],
        [`/games/${slug}/history?interval=1h`, 400, /"max"/],
        [`/games/${slug}/history?start_ts=1794700800000`, 400, /Divide by 1000/],
        [`/games/${slug}/history?interval=1d&start_ts=1794700800`, 400, /two beginnings/],
        [`/games/${slug}/history?start_ts=1794700800&end_ts=1794700000`, 400, /less than/],
        [`/games/${slug}/state?include_history=maybe`, 400, /"true"/],
        [`/games/${slug}/context?sources=newspapers`, 400, /social or online/],
        [`/games/${slug}/context?query_set=gossip`, 400, /"lineups"/],
        ["/search", 400, /"q" is required/],
        ["/search?q=a&limit=101", 400, /100/],
        ["/leagues?x=1", 400, /x/],
      ] as const
      for (const [path, status, message] of refused) {
        const answer = yield* askWith(key, `/v2/sports${path}`)
        assert.strictEqual(answer.status, status, `${path}: ${answer.text}`)
        assert.match(answer.text.replaceAll("\\", ""), message, path)
      }
    }),
  )

  it.effect("falls back to the venue's lists and to the last good answer, and says so", () =>
    Effect.gen(function* () {
      const { simulation, url } = yield* SportsVenue
      const { sql } = yield* Postgres
      const { key } = yield* keyOf("growth")
      const slug = mainEvents(simulation).find(({ plan }) => plan.game?.league === "nba")?.plan.slug
      const games = "/leagues/nba/games?sort=id"
      const before = yield* found(key, games)
      // The catalogue is a little too old from now on.
      simulation.advance(4 * minute)
      const aged = yield* found(key, games)
      assert.deepInclude(aged, { source: "gamma", fallback: false, stale: false })
      assert.deepStrictEqual(slugs(aged.games), slugs(before.games))
      assert.deepStrictEqual(slugs(aged.games[0].markets).toSorted(), slugs(before.games[0].markets).toSorted())
      assert.deepInclude(yield* found(key, `/games/${slug}`), { source: "gamma", fallback: false, stale: false })

      yield* fault(url, { upstream: "gamma", channel: "http", kind: "server_error", path: "/events/keyset" })
      // Answers about a game are shared for a moment.
      simulation.advance(1_000)
      const alternate = yield* found(key, games)
      assert.deepInclude(alternate, { source: "gamma_alternate", fallback: true, stale: false })
      assert.deepStrictEqual(slugs(alternate.games), slugs(before.games))
      assert.deepInclude(yield* found(key, `/games/${slug}`), { source: "gamma_alternate", fallback: true })

      yield* fault(url, { upstream: "gamma", channel: "http", kind: "down" })
      simulation.advance(1_000)
      const stale = yield* found(key, games)
      assert.deepInclude(stale, { source: "catalogue", fallback: false, stale: true })
      assert.isAtLeast(stale.age_ms, 4 * minute)
      assert.deepStrictEqual(slugs(stale.games), slugs(before.games))
      const state = yield* found(key, `/games/${slug}/state`)
      assert.deepInclude(state, { stale: true, status: "scheduled" })
      assert.isAtLeast(state.age_ms.metadata, 4 * minute)

      // A game that the catalogue never had: neither its existence nor its absence can be said.
      const unknown = yield* askWith(key, "/v2/sports/games/nba-xxx-yyy-2020-01-01")
      assert.deepStrictEqual([unknown.status, unknown.headers["retry-after"]], [503, "2"])
      // A catalogue that is days old is no answer any more.
      yield* sql`update catalogue_progress set at = at - interval '2 days'`
      simulation.advance(2_000)
      const none = yield* askWith(key, `/v2/sports${games}`)
      assert.deepStrictEqual([none.status, none.headers["retry-after"]], [503, "2"], none.text)
      yield* heal(url)
    }),
  )
})
