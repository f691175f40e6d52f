import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "#test/support/eventually.ts"
import { speak } from "./support/client.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { boundPort } from "./support/server.ts"
import { loadCatalogue, mainEvents, SportsVenue, sportsWorld, truthOf, type VenueEvent } from "./support/sportsWorld.ts"
import type { Json } from "./support/venueAnswers.ts"

const minute = 60_000

// The catalogue is read once, so that what is shown comes from the live scores.
layer(sportsWorld(280, { "sports.fresh-for": "1d" }), { excludeTestServices: true })("A match day", (it) => {
  it.effect(
    "is shown as it happens: scores, overtime, a postponed and a cancelled game",
    () =>
      Effect.gen(function* () {
        const { simulation, scores } = yield* SportsVenue
        const { key } = yield* keyOf("enterprise")
        yield* loadCatalogue
        const open = mainEvents(simulation).filter(({ plan }) => (plan.game?.endsAt ?? 0) > simulation.now())
        const gameOf = (league: string) => {
          const event = open.find(
            ({ plan }) => plan.game?.league === league && plan.game.startsAt < simulation.now() + 60 * minute + 1,
          )
          if (event?.plan.game === undefined) throw new Error(`no ${league} game soon`)
          return { event, game: event.plan.game }
        }
        const [long, short] = [gameOf("nba"), gameOf("nhl")]
        assert.isTrue(long.game.scores.some(({ period }) => period === "OT"))
        const later = open.find(({ plan }) => (plan.game?.startsAt ?? 0) > simulation.now() + 600 * minute)

        const shown = Effect.fnUntraced(function* ({ plan: { slug } }: VenueEvent) {
          const { json, text, status } = yield* askWith(key, `/v2/sports/games/${slug}/state?price_limit_tokens=1`)
          assert.strictEqual(status, 200, text)
          return json
        })
        let wrong = ""
        const allTrue = Effect.gen(function* () {
          for (const event of open) {
            const { status, score } = yield* shown(event)
            const seen = JSON.stringify({ status, score: score.score, period: score.period })
            const expected = JSON.stringify(truthOf(event, simulation.now()))
            wrong = `${event.plan.slug}: ${seen} instead of ${expected}`
            if (seen !== expected) return false
          }
          return true
        })
        const becomesTrue = (what: string) =>
          Effect.onError(eventually(`${what}: the venue's states are shown`, allTrue, "30 seconds"), () =>
            Effect.logError(wrong),
          )

        yield* Effect.gen(function* () {
          // The feed receives only what happens after it has connected.
          simulation.advance(50 * minute)
          yield* eventually(
            "the feed is connected",
            Effect.map(shown(long.event), ({ score }) => {
              if (score.source !== "sports_socket") simulation.advance(minute)
              return score.source === "sports_socket"
            }),
            "30 seconds",
          )
          simulation.advance(long.game.startsAt + 20 * minute - simulation.now())
          yield* becomesTrue("the first quarter")
          const { json: live } = yield* askWith(key, "/v2/sports/live")
          assert.deepInclude(live.live_counts, { nba: 1, nhl: 1 })
          const { score } = yield* shown(long.event)
          assert.deepInclude(score, { source: "sports_socket", live: true, freshness: "live" })
          const { json: playing } = yield* askWith(key, "/v2/sports/leagues/nba/games?status=live")
          assert.deepStrictEqual(
            playing.games.map(({ slug }: { slug: string }) => slug),
            [long.event.plan.slug],
          )

          assert.isTrue(simulation.callOff(short.game.id, "cancelled"))
          if (later?.plan.game !== undefined) assert.isTrue(simulation.callOff(later.plan.game.id, "postponed"))
          yield* becomesTrue("two games are called off")
          assert.strictEqual((yield* shown(short.event)).status, "cancelled")
          if (later !== undefined) assert.strictEqual((yield* shown(later)).status, "postponed")

          const overtime = long.game.scores.find(({ period }) => period === "OT")?.at ?? 0
          simulation.advance(overtime + 1_000 - simulation.now())
          yield* becomesTrue("overtime")
          assert.strictEqual((yield* shown(long.event)).score.period, "OT")
          simulation.advance(long.game.endsAt + 1_000 - simulation.now())
          yield* becomesTrue("the end")
          const end = yield* shown(long.event)
          assert.deepStrictEqual([end.status, end.score.period, end.score.ended], ["ended", "FT", true])
          const last = long.game.scores.at(-1)
          assert.strictEqual(end.score.score, `${last?.home}-${last?.away}`)
          const { json: over } = yield* askWith(key, "/v2/sports/live")
          assert.deepStrictEqual(over.live_games, 0)
        }).pipe(Effect.provide(scores))
      }),
    600_000,
  )

  it.effect("shows a change of a market in answers that were given before", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { key } = yield* keyOf("growth")
      const asked = (path: string) => Effect.map(askWith(key, `/v2/sports${path}`), ({ json }) => json)
      const listed = Effect.map(asked("/leagues/nba/games?status=all&limit=1"), ({ games }) => games[0])
      const {
        slug,
        markets: [market, other],
      } = yield* listed
      const ask = (question: string) => sql`update market set question = ${question} where id = ${Number(market.id)}`
      yield* ask("Who wins?")
      const shows = (question: string) =>
        Effect.map(Effect.all([listed, asked(`/games/${slug}`)]), (answers) =>
          answers.every(({ markets }) => markets.find(({ id }: Json) => id === market.id).question === question),
        )
      yield* eventually("both answers show it", shows("Who wins?"), "20 seconds")
      assert.strictEqual((yield* listed).markets[1].question, other.question)
      yield* ask(market.question)
      yield* eventually("both answers show the old one again", shows(market.question), "20 seconds")
    }),
  )

  it.effect(
    "names the host that a client asked in the address of the streams, however many clients share an answer",
    () =>
      Effect.gen(function* () {
        const { simulation } = yield* SportsVenue
        const { key } = yield* keyOf("growth")
        const slug = mainEvents(simulation)[0]?.plan.slug
        const hostIn = Effect.fnUntraced(function* (host: string) {
          const { json } = yield* askWith(key, `/v2/sports/games/${slug}/state`, { headers: { host } })
          return new URL(json.subscribe.ws).hostname
        })
        const nowhere = `GET /v2/sports/games/${slug}/state HTTP/1.0\r\nx-api-key: ${key}\r\n\r\n`
        assert.match(yield* speak(yield* boundPort, nowhere), /"ws:\/\/localhost:/)
        // The clock stands still, so that later answers come from memory.
        for (const host of ["127.0.0.1", "localhost", "127.0.0.1", "127.0.0.1", "localhost", "localhost"])
          assert.strictEqual(yield* hostIn(host), host)
      }),
  )
})
