import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { asOf, fillBoards, wallets } from "#test/leaderboards/support/filledBoards.ts"
import { call } from "./support/client.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { apiServer, boundPort } from "./support/server.ts"

const paths = [
  "/v3/leaderboard/scopes?period=7d&scope=tag",
  "/v3/leaderboard",
  "/v3/leaderboard?period=7d&tags=crypto",
  "/v3/tags/crypto/leaderboard",
]

/** The expected board, from a plain query. */
const expected = (scope: number, days: number | undefined, rank: string) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const [order, depth] = [sql.literal(rank), sql.literal(days === undefined ? "10000" : "1000")]
    const rows =
      days === undefined
        ? yield* sql`
            select '0x' || encode(w.address, 'hex') as wallet, t.realized::float8, t.profit::float8, t.wins, t.losses,
              (-u.cost)::float8 as unrealized, t.positions, t.open, t.volume::float8
            from leaderboard_standing t, leaderboard_open u, wallet w where u.wallet = t.wallet and w.id = t.wallet and t.scope = ${scope} order by ${order} desc, w.address limit ${depth}`
        : yield* sql`
            select '0x' || encode(w.address, 'hex') as wallet, r.realized::float8, r.profit::float8, r.wins, r.losses,
              (-u.cost)::float8 as unrealized, t.positions, t.open, t.volume::float8
            from leaderboard_rolling r, leaderboard_standing t, leaderboard_open u, wallet w where u.wallet = t.wallet and w.id = t.wallet and t.scope = ${scope}
              and r.scope = t.scope and r.wallet = t.wallet and r.days = ${days} order by ${order} desc, w.address limit ${depth}`
    return (rows as ReadonlyArray<Record<string, number | string>>).map((row, place) => {
      const usd = (name: string) => Number(row[name]) / 1e6
      return {
        rank: place + 1,
        wallet: row.wallet,
        realized_pnl: usd("realized"),
        net_realized_pnl: usd("realized"),
        gross_profit: usd("profit"),
        gross_loss: (Number(row.profit) - Number(row.realized)) / 1e6,
        unrealized_pnl: usd("unrealized"),
        total_pnl: (Number(row.realized) + Number(row.unrealized)) / 1e6,
        wins: row.wins,
        losses: row.losses,
        position_count: row.positions,
        open_positions: row.open,
        total_volume: usd("volume"),
        basis: "known",
      }
    })
  })

const allPages = (key: string, path: string) =>
  Effect.gen(function* () {
    const rows: Array<unknown> = []
    for (let more = true; more; ) {
      const { status, json, text } = yield* askWith(key, `${path}&offset=${rows.length}`)
      assert.strictEqual(status, 200, text)
      assert.deepInclude(json, { rows_returned: json.leaderboard.length, offset: rows.length, as_of: asOf })
      assert.isAtLeast(json.elapsed_ms, 0)
      rows.push(...json.leaderboard)
      more = json.has_more
    }
    return rows
  })

layer(apiServer, { excludeTestServices: true })("Leaderboards over REST", (it) => {
  it.effect("are 503 until they are built", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      for (const path of [...paths, "/v3/leaderboard?market_slug=nothing"]) {
        const { status, json } = yield* askWith(key, path)
        assert.deepStrictEqual([status, json.error], [503, "leaderboard_unavailable"], path)
        assert.isString(json.hint)
      }
      assert.strictEqual((yield* askWith(key, "/v3/leaderboard?sort=x")).status, 400)
      yield* fillBoards
      for (const path of paths) assert.strictEqual((yield* askWith(key, path)).status, 200, path)
    }),
  )

  it.effect("require a paid plan, while tags require only a key", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("free")
      for (const path of paths) {
        assert.strictEqual((yield* askWith(key, path)).status, 402, path)
        assert.strictEqual((yield* call(yield* boundPort, path)).status, 401, path)
      }
      assert.strictEqual((yield* askWith(key, "/v2/onchain/tags")).status, 200)
      assert.strictEqual((yield* call(yield* boundPort, "/v2/onchain/tags")).status, 401)
    }),
  )

  it.effect(
    "are the same in pages as in one read, for every sort in any case, and rank by realized gains by default",
    () =>
      Effect.gen(function* () {
        const { sql } = yield* Postgres
        const { key } = yield* keyOf("enterprise")
        const [{ id: crypto } = { id: 0 }] = yield* sql<{
          id: number
        }>`select id from leaderboard_scope where value = 'crypto'`
        const boards: ReadonlyArray<readonly [string, number, number | undefined, string]> = [
          ["period=1d", 0, 1, "r.realized"],
          ["period=Week&sort=REALIZED&limit=300", 0, 7, "r.realized"],
          ["period=30d&tags=crypto&sort=realized_pnl", crypto, 30, "r.realized"],
          ["period=month&tag_slug=crypto&limit=37", crypto, 30, "r.realized"],
          ["tags=crypto", crypto, undefined, "t.realized"],
          ["period=ALL&sort=Total_PnL&limit=700", 0, undefined, "t.realized - u.cost"],
          ["sort=realized&limit=700", 0, undefined, "t.realized"],
          ["sort=profit&limit=700", 0, undefined, "t.profit"],
          ["sort=loss&limit=700", 0, undefined, "t.profit - t.realized"],
          ["sort=volume&limit=1000", 0, undefined, "t.volume"],
          ["sort=wins&limit=700", 0, undefined, "t.wins"],
          ["sort=positions&limit=700", 0, undefined, "t.positions"],
          ["sort=unrealized&limit=700", 0, undefined, "-u.cost"],
        ]
        for (const [query, scope, days, rank] of boards) {
          const rows = yield* allPages(key, `/v3/leaderboard?${query}`)
          assert.strictEqual(
            rows.length,
            days === undefined ? wallets : days === 1 ? Math.floor(wallets / 2) : 1000,
            query,
          )
          assert.deepStrictEqual(rows, yield* expected(scope, days, rank), query)
        }
        const { json } = yield* askWith(key, "/v3/leaderboard?period=day&category=Sports&limit=1")
        assert.deepInclude(json, {
          period: "1d",
          sort: "realized",
          scope: "category",
          value: "Sports",
          limit: 1,
          has_more: true,
        })
        const whole = yield* askWith(key, "/v3/leaderboard?limit=99999999999999999999")
        assert.deepInclude(whole.json, { period: "all", sort: "realized", scope: "all", value: null, limit: 100 })
        for (const limit of [0, -1]) {
          const { json } = yield* askWith(key, `/v3/leaderboard?limit=${limit}`)
          assert.deepInclude(json, { limit: 1, rows_returned: 1 })
        }
      }),
  )

  it.effect("come with tags whose counts say that old markets without trades are not in them", () =>
    Effect.gen(function* () {
      const { json } = yield* call(yield* boundPort, "/openapi.json")
      assert.match(json.paths["/v2/onchain/tags"].get.description, /old markets that were never traded/)
    }),
  )

  it.effect("show rewards and rebates up to their moment on request, and count them in no result", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { key } = yield* keyOf("enterprise")
      yield* sql`
        insert into maker_payment (block, log_index, at, wallet, purpose, amount)
        select 1, 10 * n + k, to_timestamp(${asOf}) + case when k = 2 then interval '1 second' else interval '0' end, n,
          k % 2, 1000000 * n
        from generate_series(1, 200) n, generate_series(0, 2) k`
      for (const query of ["sort=wins", "period=7d&offset=30"]) {
        const { json } = yield* askWith(key, `/v3/leaderboard?${query}&limit=40`)
        const paid = yield* askWith(key, `/v3/leaderboard?${query}&limit=40&include=rewards`)
        const rows: ReadonlyArray<{ readonly wallet: string }> = json.leaderboard
        const expected = yield* Effect.forEach(rows, (row) =>
          Effect.map(
            sql<{ id: number }>`select id from wallet where address = decode(${row.wallet.slice(2)}, 'hex')`,
            ([wallet]) => {
              const amount = wallet !== undefined && wallet.id <= 200 ? wallet.id : 0
              return { ...row, rewards_received: amount, rebates_received: amount }
            },
          ),
        )
        assert.deepStrictEqual(paid.json.leaderboard, expected, query)
      }
      assert.strictEqual((yield* askWith(key, "/v3/leaderboard?include=fees")).status, 400)
    }),
  )

  it.effect("end at their depth", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const last = yield* askWith(key, "/v3/leaderboard?period=7d&offset=950")
      assert.deepInclude(last.json, { rows_returned: 50, has_more: false, limit: 100 })
      assert.strictEqual(last.json.leaderboard[49].rank, 1000)
      assert.isTrue((yield* askWith(key, "/v3/leaderboard?period=7d&offset=899")).json.has_more)
      assert.isFalse((yield* askWith(key, "/v3/leaderboard?period=7d&offset=900")).json.has_more)
      const beyond = yield* askWith(key, "/v3/leaderboard?offset=9999")
      assert.deepInclude(beyond.json, { rows_returned: 0, has_more: false })
    }),
  )

  it.effect("of a tag have amounts as text", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      for (const [query, other] of [
        ["period=7d", "period=7d"],
        ["period=all", "sort=realized"],
        ["sort=gross_loss", "sort=loss"],
        ["sort=total_volume&offset=3", "sort=volume&offset=3"],
        ["sort=position_count", "sort=positions"],
      ]) {
        const board = yield* askWith(key, `/v3/leaderboard?tags=crypto&limit=5&${other}`)
        const { json } = yield* askWith(key, `/v3/tags/crypto/leaderboard?limit=5&${query}`)
        assert.deepInclude(json, { tag: "crypto", rows_returned: 5, has_more: true, as_of: asOf, limit: 5 })
        assert.deepStrictEqual(
          json.data,
          board.json.leaderboard.map((row: Record<string, number>) => ({
            rank: row.rank,
            wallet: row.wallet,
            net_pnl: String(row.realized_pnl),
            realized_pnl: String(row.realized_pnl),
            gross_profit: String(row.gross_profit),
            gross_loss: String(row.gross_loss),
            total_volume: String(row.total_volume),
            position_count: row.position_count,
            basis: row.basis,
          })),
          query,
        )
      }
    }),
  )

  it.effect("of an unknown scope are 404 with the nearest name, of a scope without results empty", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      for (const query of [
        "category=Quiet",
        "tags=silent",
        "tag_slug=hushed&period=1d",
        "event_slug=quiet-event",
        "category=thin&period=1d",
      ]) {
        const { status, json } = yield* askWith(key, `/v3/leaderboard?${query}`)
        assert.strictEqual(status, 200, query)
        assert.deepInclude(json, { leaderboard: [], rows_returned: 0, has_more: false, as_of: asOf })
      }
      assert.deepInclude((yield* askWith(key, "/v3/tags/hushed/leaderboard")).json, { data: [], tag: "hushed" })
      const hash = `0x${"ab".repeat(32)}`
      const unknown = [
        "category=crypto",
        "tags=Crypto",
        "tags=a,b",
        "market=nothing",
        "market_slug=quiet-event",
        "event_slug=crypto",
        `condition_id=${hash}`,
        `market=${hash}`,
        "market=123",
        `market=${2n ** 256n - 1n}`,
        `market=0x${"ab".repeat(31)}`,
        "category=%27%3B--",
      ]
      for (const query of unknown) {
        const { status, json } = yield* askWith(key, `/v3/leaderboard?period=7d&${query}`)
        assert.strictEqual(status, 404, query)
        assert.isString(json.error)
        assert.include(json.hint, "/v3/leaderboard/scopes")
      }
      for (const [query, nearest] of [
        ["category=sport", "Sports"],
        ["tags=cripto", "crypto"],
        ["tag_slug=Crypto", "crypto"],
        ["event_slug=quiet-events", "quiet-event"],
      ] as const) {
        const { json } = yield* askWith(key, `/v3/leaderboard?period=7d&${query}`)
        assert.include(json.hint, `Did you mean "${nearest}"?`, query)
      }
      const tag = yield* askWith(key, "/v3/tags/Cr%C3%A9pto/leaderboard")
      assert.deepStrictEqual([tag.status, tag.json.tag], [404, "Crépto"])
    }),
  )

  it.effect.each([
    ["/v3/leaderboard?period=90d", "invalid_period", "period"],
    ["/v3/leaderboard?period=", "invalid_period", "period"],
    ["/v3/leaderboard?sort=pnl", /^Invalid sort\. Allowed: realized, realized_pnl, total, .*unrealized$/, "sort"],
    ["/v3/leaderboard?sort=__proto__", /^Invalid sort/, "sort"],
    ["/v3/leaderboard?period=7d&sort=volume", /^Invalid sort\. Allowed: realized, realized_pnl$/, "sort"],
    ["/v3/leaderboard?category=a&tags=b", "invalid_scope", "tags"],
    [`/v3/leaderboard?market=a&condition_id=0x${"ab".repeat(32)}`, "invalid_scope", "condition_id"],
    [`/v3/leaderboard?market=${2n ** 256n + 1n}`, /below 2\^256/, "market"],
    [`/v3/leaderboard?market=${"9".repeat(90)}`, /below 2\^256/, "market"],
    ["/v3/leaderboard?tag_slug=%0A", /visible characters/, "tag_slug"],
    ["/v3/leaderboard?tags=a%7Fb", /visible characters/, "tags"],
    ["/v3/leaderboard?market_slug=a%E2%80%AEb", /visible characters/, "market_slug"],
    ["/v3/tags/%0A/leaderboard", /visible characters/, "slug"],
    ["/v3/leaderboard?condition_id=0x12", /64 hexadecimal/, "condition_id"],
    ["/v3/leaderboard?category=", /category/, "category"],
    ["/v3/leaderboard?tags=a&tags=b", /given 2 times/, "tags"],
    ["/v3/leaderboard?tags=a%00b", /NUL/, "tags"],
    ["/v3/leaderboard?limit=1.5", /integer/, "limit"],
    ["/v3/leaderboard?limit=ten", /limit/, "limit"],
    ["/v3/leaderboard?offset=-1", /offset/, "offset"],
    ["/v3/leaderboard?offset=10000", "leaderboard_offset_too_deep", "offset"],
    ["/v3/leaderboard?period=1d&offset=1000", "leaderboard_offset_too_deep", "offset"],
    ["/v3/leaderboard?offset=99999999999999999999", "leaderboard_offset_too_deep", "offset"],
    ["/v3/tags/crypto/leaderboard?offset=9007199254740993", "leaderboard_offset_too_deep", "offset"],
    ["/v3/leaderboard?categories=a", /Did you mean "category"/, "categories"],
    ["/v3/tags/crypto/leaderboard?sort=total", /^Invalid sort\. Allowed: net_pnl/, "sort"],
    [
      "/v3/tags/crypto/leaderboard?period=7d&sort=gross_loss",
      /^Invalid sort\. Allowed: net_pnl, realized_pnl$/,
      "sort",
    ],
    ["/v3/tags/crypto/leaderboard?period=hour", "invalid_period", "period"],
    ["/v3/tags/crypto/leaderboard?period=7d&offset=1000", "leaderboard_offset_too_deep", "offset"],
    ["/v3/tags/crypto/leaderboard?tags=a", /Unknown parameter "tags"/, "tags"],
    ["/v3/leaderboard/scopes?scope=tag", "invalid_period", "period"],
    ["/v3/leaderboard/scopes?scope=tag&period=all", "invalid_period", "period"],
    ["/v3/leaderboard/scopes?period=1d", "invalid_scope", "scope"],
    ["/v3/leaderboard/scopes?period=1d&scope=market", "invalid_scope", "scope"],
    ["/v3/leaderboard/scopes?period=1d&scope=tag&q=a%0Ab", "invalid_query", "q"],
    ["/v3/leaderboard/scopes?period=1d&scope=tag&q=%7F", "invalid_query", "q"],
    ["/v3/leaderboard/scopes?period=1d&scope=tag&q=%09a", "invalid_query", "q"],
    [`/v3/leaderboard/scopes?period=1d&scope=tag&q=${"a".repeat(81)}`, "invalid_query", "q"],
    ["/v3/leaderboard/scopes?period=1d&scope=tag&q=%00", "invalid_query", "q"],
    ["/v3/leaderboard/scopes?period=1d%00&scope=tag", /NUL/, "period"],
    ["/v3/leaderboard/scopes?period=1d&scope=tag&offset=-1", "scope_offset_too_deep", "offset"],
    ["/v3/leaderboard/scopes?period=1d&scope=tag&offset=10001", "scope_offset_too_deep", "offset"],
    ["/v3/leaderboard/scopes?period=1d&scope=tag&offset=1e300", "scope_offset_too_deep", "offset"],
    ["/v3/leaderboard/scopes?period=1d&scope=tag&offset=x", /offset/, "offset"],
    ["/v3/leaderboard/scopes?period=1d&scope=tag&limit=1.5", /integer/, "limit"],
    ["/v2/onchain/tags?sort=size", /"popularity", "alpha"/, "sort"],
    ["/v2/onchain/tags?details=1", /"true", "false"/, "details"],
    ["/v2/onchain/tags?limit=0", /between 1 and 10000/, "limit"],
    ["/v2/onchain/tags?limit=10001", /between 1 and 10000/, "limit"],
    ["/v2/onchain/tags?min_markets=-1", /min_markets/, "min_markets"],
    ["/v2/onchain/tags?min_markets=1.5", /integer/, "min_markets"],
    ["/v2/onchain/tags?q=a", /Unknown parameter "q"/, "q"],
  ] as const)("refuse %s", ([path, error, param]) =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const { status, json } = yield* askWith(key, path)
      assert.deepStrictEqual([status, json.param], [400, param], json.error)
      if (typeof error !== "string") return assert.match(json.error, error)
      assert.strictEqual(json.error, error)
      assert.isString(json.hint)
    }),
  )
})
