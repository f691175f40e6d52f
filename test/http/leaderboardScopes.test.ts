import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { fillBoards, manyTags } from "#test/leaderboards/support/filledBoards.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { apiServer } from "./support/server.ts"

layer(apiServer, { excludeTestServices: true })("Leaderboard scopes over REST", (it) => {
  it.effect("are ordered by wallets, then by name, up to the last page", () =>
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

  it.effect("are searched literally and case-insensitively", () =>
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

  it.effect("have no page beyond the maximum offset", () =>
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

  it.effect("and boards come from the newest version, never from two", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { key } = yield* keyOf("enterprise")
      const moveOn = sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`update leaderboard_rolling set realized = realized + 1000000, wins = wins + 1 where scope = 0`
          yield* sql`update leaderboard_standing set realized = realized + 1000000, wins = wins + 1 where scope = 0`
          yield* sql`update leaderboard_state set version = version + 1, at = at + interval '1 second'`
        }),
      )
      type Rows = ReadonlyArray<{ readonly realized_pnl: number; readonly wins: number }>
      const page = (path: string) =>
        Effect.map(askWith(key, path), ({ json }) => ({ at: Number(json.as_of), rows: json.leaderboard as Rows }))
      for (const path of ["/v3/leaderboard?period=1d&offset=7", "/v3/leaderboard?sort=realized"]) {
        const before = yield* page(path)
        const expected = (at: number) =>
          before.rows.map(({ realized_pnl, wins }) => [
            Math.round((realized_pnl + at - before.at) * 1e6),
            wins + at - before.at,
          ])
        const moving = yield* Effect.forkChild(Effect.repeat(moveOn, { times: 9 }))
        const seen: Array<number> = []
        while (seen.at(-1) !== before.at + 10) {
          const found = yield* Effect.all([page(path), page(path), page(path)], { concurrency: 3 })
          for (const { at, rows } of found) {
            assert.deepStrictEqual(
              rows.map(({ realized_pnl, wins }) => [Math.round(realized_pnl * 1e6), wins]),
              expected(at),
            )
          }
          seen.push(Math.min(...found.map(({ at }) => at)))
        }
        yield* Fiber.join(moving)
        assert.deepStrictEqual(seen, seen.toSorted())
      }
    }),
  )
})
