import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/Postgres.ts"
import { fillBoards, manyTags } from "#test/leaderboards/filledBoards.ts"
import { eventually } from "#test/support/eventually.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { apiServer } from "./support/server.ts"

layer(apiServer, { excludeTestServices: true })("Scopes over REST", (it) => {
  it.effect("come by how many wallets they have, then by name, as far as can be asked", () =>
    Effect.gen(function* () {
      yield* fillBoards
      const { sql } = yield* Postgres
      const { key } = yield* keyOf("enterprise")
      const plain = yield* sql<{ value: string; wallet_count: number; ranked_count: number }>`
        select s.value, c.wallets as wallet_count, least(c.wallets, 1000) as ranked_count from leaderboard_count c, leaderboard_scope s
        where s.id = c.scope and c.days = 7 and s.kind = 'tag' and c.wallets > 0 order by c.wallets desc, s.value collate "C"`
      assert.isAbove(plain.length, manyTags)
      const found: Array<unknown> = []
      for (let more = true; more; ) {
        const { json } = yield* askWith(
          key,
          `/v3/leaderboard/scopes?period=week&scope=tags&limit=5000&offset=${found.length}`,
        )
        assert.deepInclude(json, {
          period: "7d",
          scope: "tag",
          query: null,
          limit: 200,
          total_count: plain.length,
          offset: found.length,
          count: json.scopes.length,
        })
        found.push(...json.scopes)
        more = json.has_more
      }
      assert.deepStrictEqual(
        found,
        plain.slice(0, 10_151).map((row) => ({ ...row })),
      )
    }),
  )

  it.effect("are searched for literally, in upper or lower case", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const search = (q: string, more = "scope=category") =>
        Effect.map(askWith(key, `/v3/leaderboard/scopes?period=7d&${more}&q=${encodeURIComponent(q)}`), ({ json }) => [
          json.query,
          json.scopes.map(({ value }: { value: string }) => value),
        ])
      const odd = "100%_\\Él"
      assert.deepStrictEqual(yield* search("%"), ["%", [odd]])
      assert.deepStrictEqual(yield* search("_\\é"), ["_\\é", [odd]])
      assert.deepStrictEqual(yield* search("  e\u0301L "), ["éL", [odd]])
      assert.deepStrictEqual(yield* search("   "), [null, ["Sports", odd]])
      assert.deepStrictEqual(yield* search("sPORT"), ["sPORT", ["Sports"]])
      assert.deepStrictEqual(yield* search(".*"), [".*", []])
      assert.deepStrictEqual(yield* search("👩‍👩‍👧‍👦".repeat(80)), ["👩‍👩‍👧‍👦".repeat(80), []])
      assert.deepStrictEqual(yield* search("t-0000", "scope=tags&limit=-5"), ["t-0000", ["T-00009"]])
    }),
  )

  it.effect("have no page that begins beyond the deepest offset", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const at = (offset: number, limit: number) =>
        Effect.map(
          askWith(key, `/v3/leaderboard/scopes?period=7d&scope=tag&offset=${offset}&limit=${limit}`),
          ({ json }) => [json.count, json.has_more],
        )
      assert.deepStrictEqual(yield* at(9_900, 100), [100, true])
      assert.deepStrictEqual(yield* at(9_950, 100), [100, false])
      assert.deepStrictEqual(yield* at(10_000, 100), [100, false])
    }),
  )

  it.effect("and boards are of one version each, and soon of the newest", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { key } = yield* keyOf("starter")
      const asked = "/v3/leaderboard?period=1d&limit=1"
      const sorted = "/v3/leaderboard?sort=wins&limit=1"
      const best = (path: string) =>
        Effect.map(askWith(key, path), ({ json }) => [
          json.as_of,
          json.leaderboard[0].realized_pnl,
          json.leaderboard[0].wins,
        ])
      const moveOn = (seconds: number) =>
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`update leaderboard_rolling set realized = realized + 1000000, wins = wins + 1`
            yield* sql`update leaderboard_standing set realized = realized + 1000000, wins = wins + 1`
            yield* sql`update leaderboard_state set version = version + 1, at = at + make_interval(secs => ${seconds}::float8)`
          }),
        )
      const [rolling, standing] = [yield* best(asked), yield* best(sorted)]
      const after = ([at, realized, wins]: ReadonlyArray<number>, seconds: number, times: number) => [
        Number(at) + seconds,
        Number(realized) + times,
        Number(wins) + times,
      ]
      yield* moveOn(3_600)
      assert.deepStrictEqual(yield* best(asked), after(rolling, 3_600, 1))
      assert.deepStrictEqual(yield* best(sorted), after(standing, 3_600, 1))
      yield* moveOn(10)
      const seen: Array<ReadonlyArray<number>> = []
      yield* eventually(
        "the newest board",
        Effect.map(best(asked), (row) => {
          seen.push(row)
          return row[0] === Number(rolling[0]) + 3_610
        }),
      )
      for (const row of seen.slice(0, -1)) assert.deepStrictEqual(row, after(rolling, 3_600, 1))
      assert.deepStrictEqual(seen.at(-1), after(rolling, 3_610, 2))
    }),
  )
})
