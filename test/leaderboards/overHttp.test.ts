import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { followedVenue } from "#test/catalogue/support/follower.ts"
import { askWith, keyOf } from "#test/http/support/keys.ts"
import { serving } from "#test/http/support/serving.ts"
import { followedHistory } from "#test/ledger/support/followedHistory.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { type Named, type Reference, referenceBoards } from "./support/referenceBoards.ts"
import { assertBoards, everything, periods, type Scope, scopesIn, tokensOf } from "./support/shownBoards.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

const world = (seed: number) =>
  Layer.merge(ApiServer, ledger).pipe(
    Layer.provideMerge(serving),
    Layer.provideMerge(
      testFoundation(
        { port: "0", host: "127.0.0.1", "event-log.retention": "3650d", "leaderboards.look": "0ms" },
        [],
        followedHistory(seed),
      ),
    ),
  )

/** Tokens that changed in the ledger since the boards were counted. */
const changedSince = Effect.flatMap(Postgres, ({ sql }) =>
  Effect.map(
    sql<{ token: number }>`select distinct u.token from position_undo u, leaderboard_state s where u.block > s.block`,
    (rows) => rows.map(({ token }) => token),
  ),
)

/** Without the undo records of a block, boards of markets would mix two moments, so they are unavailable. */
const assertUnavailableUncovered = (key: string, scopes: ReadonlyArray<Scope>) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    yield* sql`
      create table removed as select * from position_undo where block = (
        select max(u.block) from position_undo u, leaderboard_state s where u.block > s.block)`
    yield* sql`delete from position_undo where block in (select block from removed)`
    for (const period of ["all", "1d"]) {
      for (const [scope] of scopes) {
        const { status, json } = yield* askWith(key, `/v3/leaderboard?period=${period}&${scope}`)
        assert.deepStrictEqual([status, json.error], [503, "leaderboard_unavailable"], scope)
        assert.include(json.hint, "caught up")
      }
      assert.strictEqual((yield* askWith(key, `/v3/leaderboard?period=${period}`)).status, 200)
    }
    yield* sql`insert into position_undo select * from removed`
    yield* sql`drop table removed`
  })

const assertScopes = (key: string, { board, named }: Reference) =>
  Effect.gen(function* () {
    for (const [period, days] of Object.entries(periods)) {
      for (const [kind, namesOf] of [
        ["category", ({ category }: Named) => (category ? [category] : [])],
        ["tag", ({ tags }: Named) => tags],
      ] as const) {
        const names = [...new Set(named.flatMap(namesOf))]
        const due = names
          .map((value) => {
            const wallets = board(
              tokensOf(named, (each) => namesOf(each).includes(value)),
              days,
            ).length
            return { value, wallet_count: wallets, ranked_count: Math.min(1_000, wallets) }
          })
          .filter(({ wallet_count }) => wallet_count > 0)
          .toSorted((a, b) => b.wallet_count - a.wallet_count || (a.value < b.value ? -1 : 1))
        const { json } = yield* askWith(key, `/v3/leaderboard/scopes?period=${period}&scope=${kind}&limit=200`)
        assert.deepStrictEqual(json.scopes, due, `${period} ${kind}`)
      }
    }
  })

interface ExpectedTag {
  readonly slug: string
  readonly markets: number
  readonly events: number
  readonly first_seen_at: number
  readonly last_seen_at: number
}

const assertTags = (key: string) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const ask = (query: string) => Effect.map(askWith(key, `/v2/onchain/tags?${query}`), ({ json }) => json)
    const rows = yield* sql<ExpectedTag>`
      select t.slug, count(*)::int as markets, count(distinct m.event)::int as events,
        floor(extract(epoch from min(m.created_at)))::float8 as first_seen_at,
        floor(extract(epoch from max(m.created_at)))::float8 as last_seen_at
      from (select distinct jsonb_array_elements_text(tags) as slug from event) t
        join event e on e.tags ? t.slug join market m on m.event = e.id
      group by t.slug order by markets desc, t.slug collate "C"`
    const due = rows.map((row) => ({ ...row }))
    const slugs = (list: ReadonlyArray<ExpectedTag>) => list.map(({ slug }) => slug)
    assert.deepStrictEqual(yield* ask("details=true"), { count: due.length, tags: due })
    assert.deepStrictEqual(yield* ask("details=false"), { count: due.length, tags: slugs(due) })
    assert.deepStrictEqual((yield* ask("sort=alpha")).tags, slugs(due).toSorted())
    assert.deepStrictEqual((yield* ask("limit=3&sort=popularity")).tags, slugs(due).slice(0, 3))
    const most = due[0]?.markets ?? 0
    assert.deepStrictEqual(
      (yield* ask(`min_markets=${most}`)).tags,
      slugs(due.filter(({ markets }) => markets === most)),
    )
    const prefix = due[0]?.slug.slice(0, 2) ?? ""
    assert.deepStrictEqual(
      (yield* ask(`prefix=${prefix}`)).tags,
      slugs(due.filter(({ slug }) => slug.startsWith(prefix))),
    )
    assert.deepStrictEqual(yield* ask(`prefix=${prefix.toUpperCase()}`), { count: 0, tags: [] })
    assert.deepStrictEqual(yield* ask("prefix=%25"), { count: 0, tags: [] })
  })

for (const seed of isSoak ? [71, 92, 93] : [71]) {
  layer(world(seed), { excludeTestServices: true })(`Leaderboards of world ${seed}`, (it) => {
    it.effect("match the sums over the ledger as of their stated moment, also when the ledger is ahead", () =>
      Effect.gen(function* () {
        const { url, simulation, upstreams } = yield* followedVenue(seed, { rate: isSoak ? 20 : 8 })
        yield* Effect.gen(function* () {
          const { tx } = yield* Postgres
          const { key } = yield* keyOf("enterprise")
          const following = yield* startFollower
          yield* caughtUp(simulation, following)
          const listed = simulation.model.world.venue.tokens.filter(({ market }) => market.index % 3 === 0)
          yield* Effect.provide(
            Effect.flatMap(catalogueLoader(tx), ({ mentionedTokens, ensureTokens }) =>
              isSoak ? mentionedTokens : ensureTokens(listed.map(({ hex }) => hex)),
            ),
            upstreams,
          )
          assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
          const first = yield* referenceBoards
          const { categories, tags, markets } = scopesIn(first.named)
          const compared = yield* assertBoards(key, first, [
            everything,
            ...categories.slice(0, isSoak ? undefined : 2),
            ...tags.slice(0, isSoak ? undefined : 3),
            ...markets.slice(0, isSoak ? 12 : 6),
          ])
          assert.isAbove(compared, 500)
          yield* assertScopes(key, first)
          yield* assertTags(key)

          // The ledger is ahead of the boards: answers are still as of the boards' moment.
          simulation.advance(20_000)
          yield* caughtUp(simulation, following)
          const touched = new Set(yield* changedSince)
          const moved = markets.filter(([, tokens]) => [...tokens].some((token) => touched.has(token)))
          yield* assertUnavailableUncovered(key, moved.slice(12, 14))
          assert.isAbove(yield* assertBoards(key, first, moved.slice(12, 18)), 10)

          assert.strictEqual(yield* refreshLeaderboards, "advanced")
          simulation.reorg(4)
          simulation.advance(4_000)
          yield* caughtUp(simulation, following)
          yield* refreshLeaderboards
          const last = yield* referenceBoards
          assert.isAbove(last.asOf, first.asOf)
          yield* assertBoards(key, last, [everything, ...categories.slice(0, 2), ...moved.slice(12, 15)])
          yield* assertScopes(key, last)
        }).pipe(Effect.provide(nodeAt(url)))
      }),
    )
  })
}
