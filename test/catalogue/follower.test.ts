import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { catalogueCheck } from "#src/roles/catalogueCheck.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { becomesSame, followedVenue, isLoaded, wrongAnnouncements } from "./support/follower.ts"

const minute = 60_000
const isSoak = process.env.PRESAGE_SOAK === "1"
const closedMinutes = isSoak ? 720 : 50
/** Enough for windows to open and close. */
const aWhile = (isSoak ? 30 : 10) * minute

interface Start {
  readonly startedAt: number
  /** Events that closed later must be stored. */
  readonly since: number
}

class Venue extends Context.Service<Venue, Effect.Success<ReturnType<typeof followedVenue>> & Start>()(
  "test/catalogue/Venue",
) {}

const venue = Layer.effect(
  Venue,
  Effect.map(followedVenue(31, { scale: isSoak ? "tiny" : "brief" }), (followed) => {
    const startedAt = followed.now()
    return { ...followed, startedAt, since: startedAt - (closedMinutes - (isSoak ? 60 : 30)) * minute }
  }),
)

const world = venue.pipe(
  Layer.provideMerge(
    testFoundation({
      "catalogue.sweep-every": isSoak ? "4s" : "6s",
      "catalogue.news-every": isSoak ? "1s" : "2s",
      "catalogue.closed-window": `${closedMinutes}m`,
      "catalogue.page": isSoak ? "40" : "100",
    }),
  ),
)

layer(world, { excludeTestServices: true })("The catalogue follower", (it) => {
  it.effect(
    "loads every open and recently closed event and announces each market once, although it is interrupted repeatedly",
    () =>
      Effect.gen(function* () {
        const { now, following, catalogue, startedAt, since } = yield* Venue
        const { sql } = yield* Postgres
        const size = Effect.map(
          sql<{ count: number }>`select count(*)::int as count from market`,
          ([row]) => row?.count ?? 0,
        )
        for (const share of isSoak ? [100, 250, 400, 550] : [100, 300]) {
          const far = Effect.map(size, (count) => count >= share)
          yield* eventually(`${share} markets are there`, far).pipe(Effect.provide(following))
        }
        assert.isFalse(yield* isLoaded, "interrupted before the first load was complete")
        const loaded = catalogue()
        assert.isAbove(loaded.events.length, isSoak ? 5_000 : 1_000)
        yield* becomesSame(loaded, "50 seconds", since).pipe(Effect.provide(following))
        assert.deepStrictEqual((yield* wrongAnnouncements(loaded, startedAt, now())).slice(0, 10), [])
      }),
    600_000,
  )

  it.effect("writes no rows for an unchanged catalogue", () =>
    Effect.gen(function* () {
      const { upstreams } = yield* Venue
      const { sql, tx } = yield* Postgres
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
  )

  it.effect(
    "follows changes across a restart and announces each market once",
    () =>
      Effect.gen(function* () {
        const { simulation, now, following, catalogue, startedAt, since } = yield* Venue
        const before = catalogue()
        // The actor is down for a while.
        simulation.advance(aWhile)
        yield* Effect.gen(function* () {
          yield* becomesSame(catalogue(), "40 seconds", since)
          simulation.advance(aWhile)
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
})

layer(testFoundation({ "catalogue.news-every": "200ms", "catalogue.closed-window": "0s" }), {
  excludeTestServices: true,
})("A catalogue that is read for the first time", (it) => {
  it.effect("is ready only when the markets of all traded tokens are there", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { simulation, following } = yield* followedVenue(32)
      const tokens = simulation.model.world.venue.tokens.filter(({ market }) => isSoak || market.index % 8 === 0)
      const traded = sql`select decode(n, 'hex') from unnest(${tokens.map(({ hex }) => hex)}::text[]) n`
      yield* sql`insert into token (hash) ${traded} on conflict do nothing`
      // Tokens of new markets get their ids before the market is written.
      const missing = Effect.map(
        sql<{ count: number }>`
            select count(*)::int as count from token t where hash in (${traded})
              and not exists (select from market m where m.condition = t.condition)
              and not exists (select from token_unlisted u where u.token = t.id)`,
        ([row]) => row?.count ?? 0,
      )
      assert.isAbove(yield* missing, 0)
      const health = yield* Health
      yield* Effect.gen(function* () {
        yield* eventually(
          "the catalogue is ready",
          Effect.map(health.report, ({ dependencies }) => dependencies["catalogue"]?.state === "up"),
          "50 seconds",
        )
        assert.strictEqual(yield* missing, 0)
      }).pipe(Effect.provide(Layer.merge(following, catalogueCheck)))
    }),
  )
})
