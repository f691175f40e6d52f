import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { becomesSame, followedVenue, isLoaded, wrongAnnouncements } from "./support/follower.ts"

const quick = { "catalogue.sweep-every": "500ms", "catalogue.news-every": "200ms" }
const hour = 3_600_000
const isSoak = process.env.PRESAGE_SOAK === "1"

layer(testFoundation({ ...quick, "catalogue.closed-window": "12h" }), { excludeTestServices: true })(
  "The catalogue follower",
  (it) => {
    it.effect(
      "loads open and recently closed events, follows changes across a restart, and announces each market once",
      () =>
        Effect.gen(function* () {
          const { simulation, now, following, catalogue } = yield* followedVenue(31, {
            scale: isSoak ? "tiny" : "brief",
          })
          const startedAt = now()
          const since = startedAt - 11 * hour
          const before = catalogue()
          assert.isAbove(before.events.length, isSoak ? 5_000 : 1_000)
          yield* becomesSame(before, "50 seconds", since).pipe(Effect.provide(following))
          assert.deepStrictEqual((yield* wrongAnnouncements(before, startedAt, now())).slice(0, 10), [])

          // The actor is down for a while.
          simulation.advance(hour / 2)
          yield* Effect.gen(function* () {
            yield* becomesSame(catalogue(), "40 seconds", since)
            simulation.advance(hour / 2)
            const after = catalogue()
            yield* becomesSame(after, "40 seconds", since)
            assert.isAbove(after.markets.length, before.markets.length)
            const closedCount = (list: typeof after) => list.markets.filter(({ closed }) => closed === true).length
            assert.isAbove(closedCount(after), closedCount(before))
            assert.deepStrictEqual((yield* wrongAnnouncements(after, startedAt, now())).slice(0, 10), [])
          }).pipe(Effect.provide(following))
        }),
      600_000,
    )

    it.effect("records price history only for changed prices", () =>
      Effect.gen(function* () {
        const { sql } = yield* Postgres
        const [missing] = yield* sql<{ count: number }>`
          select count(*)::int as count from market m
          where not exists (select 1 from market_history h where h.market = m.id)`
        assert.strictEqual(missing?.count, 0)
        const [moves] = yield* sql<{ count: number; idle: number }>`
          with step as (
            select prices, best_bid, best_ask, last_trade,
              lag(prices) over w as prices_before, lag(best_bid) over w as bid_before,
              lag(best_ask) over w as ask_before, lag(last_trade) over w as last_before
            from market_history window w as (partition by market order by at))
          select count(*)::int as count,
            count(*) filter (where (prices, best_bid, best_ask, last_trade)
              is not distinct from (prices_before, bid_before, ask_before, last_before))::int as idle
          from step where prices_before is not null`
        assert.isAbove(moves?.count ?? 0, 50)
        assert.strictEqual(moves?.idle, 0)
      }),
    )
  },
)

layer(testFoundation({ ...quick, "catalogue.closed-window": "2h", "catalogue.page": "40" }), {
  excludeTestServices: true,
})("The catalogue follower, interrupted repeatedly", (it) => {
  it.effect(
    "stores every market and announces none twice",
    () =>
      Effect.gen(function* () {
        const { now, following, catalogue, upstreams } = yield* followedVenue(32)
        const startedAt = now()
        const { sql, tx } = yield* Postgres
        const size = Effect.map(
          sql<{ count: number }>`select count(*)::int as count from market`,
          ([row]) => row?.count ?? 0,
        )
        for (const share of [100, 250, 400, 550]) {
          const far = Effect.map(size, (count) => count >= share)
          yield* eventually(`${share} markets are there`, far).pipe(Effect.provide(following))
        }
        assert.isFalse(yield* isLoaded, "interrupted before the first load was complete")
        const venue = catalogue()
        yield* becomesSame(venue, "50 seconds", startedAt - hour).pipe(Effect.provide(following))
        assert.deepStrictEqual((yield* wrongAnnouncements(venue, startedAt, now())).slice(0, 10), [])

        // A sweep of an unchanged catalogue writes no rows.
        const versions = sql<{ version: string }>`
          select 'event' || id || ' ' || xmin as version from event
          union all select 'market' || id || ' ' || xmin from market
          union all select 'game' || id || ' ' || xmin from game
          union all select 'tag' || id || ' ' || xmin from tag
          union all select 'token' || id || ' ' || xmin from token
          union all select 'history' || market || ' ' || xmin from market_history
          order by 1`
        const before = yield* versions
        const seen = yield* Effect.flatMap(catalogueLoader(tx), ({ sweep }) => sweep).pipe(Effect.provide(upstreams))
        assert.isAbove(seen, 100)
        assert.deepStrictEqual(yield* versions, before)
      }),
    600_000,
  )
})
