import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { advanceBuilders, rankBuilderUsers, refreshProfiles } from "#src/builders/advance.ts"
import { count, nextRange, resetBuilders } from "#src/builders/CountStore.ts"
import { boardDays } from "#src/builders/model.ts"
import { moveWindows } from "#src/builders/WindowStore.ts"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { checkBuilders } from "#src/repair/verify/builders.ts"
import { verifyOnly } from "#src/repair/verify.ts"
import { BuilderListing } from "#src/upstream/data/BuilderListing.ts"
import { followedVenue } from "#test/catalogue/support/follower.ts"
import { askWith, keyOf } from "#test/http/support/keys.ts"
import { ledgerServer } from "#test/http/support/ledgerServer.ts"
import { referenceBoards } from "#test/leaderboards/support/referenceBoards.ts"
import { followedHistory } from "#test/ledger/support/followedHistory.ts"
import { followLife } from "#test/ledger/support/following.ts"
import { ask, everyPage, type Json } from "./support/asked.ts"
import { compareSums } from "./support/compareSums.ts"
import { trueFigures, trueFills } from "./support/trueBuilders.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

const depth = 20
const seed = 71
const server = ledgerServer({ "ledger.reorg-depth": String(depth) }, followedHistory(seed))

/** Lives through reorganisations while builders are counted; the catalogue lists two of three markets. */
const countedWorld = Effect.gen(function* () {
  const { url, simulation, upstreams } = yield* followedVenue(seed, { rate: isSoak ? 20 : 8 })
  yield* followLife(url, simulation, advanceBuilders)
  const { tx } = yield* Postgres
  const { tokens } = simulation.model.world.venue
  const known = tokens.filter(({ market }) => market.index % 3 !== 0).map(({ hex }) => hex)
  yield* Effect.provide(
    Effect.gen(function* () {
      yield* (yield* catalogueLoader(tx)).ensureTokens(known)
      yield* Effect.provide(refreshProfiles, BuilderListing.layer)
    }),
    upstreams,
  )
  return simulation
})

layer(server, { excludeTestServices: true })("Builders", (it) => {
  it.effect("add up what the venue's books have, through reorganisations and in any order of blocks", () =>
    Effect.gen(function* () {
      const { sql, tx } = yield* Postgres
      const { key } = yield* keyOf("enterprise")
      const simulation = yield* countedWorld
      const fills = trueFills(simulation)
      assert.isTrue(fills.some(({ builder, isTaker }) => builder !== undefined && !isTaker))
      yield* compareSums(key, simulation, fills)
      yield* advanceBuilders
      yield* compareSums(key, simulation, fills)

      const tables = ["builder_day", "builder_total", "builder_user", "builder_window", "builder_window_progress"]
      const stored = Effect.forEach(tables, (table) =>
        Effect.map(sql`select to_jsonb(t) as row from ${sql(table)} t order by to_jsonb(t)::text`, (rows) => [
          table,
          rows,
        ]),
      )
      const settled = yield* stored
      const step = (most: number) =>
        tx(
          Effect.gen(function* () {
            const range = yield* nextRange(sql, depth, most)
            if (range !== undefined) yield* count(sql, range)
            yield* moveWindows(sql)
            return range !== undefined
          }),
        )
      // Forwards in pieces that cut days into halves, while the windows move on; then backwards.
      yield* tx(resetBuilders(sql))
      let steps = 0
      while (yield* step(100)) steps += 1
      assert.isAbove(steps, 10)
      assert.deepStrictEqual(yield* stored, settled)
      const [progress] = yield* sql<{ to_block: number }>`select to_block from builder_progress`
      yield* tx(resetBuilders(sql))
      yield* sql`
        insert into builder_progress (from_block, to_block) values (${(progress?.to_block ?? 0) + 1}, ${progress?.to_block})`
      while (yield* step(200)) steps += 1
      assert.deepStrictEqual(yield* stored, settled)

      const failed = Effect.map(verifyOnly(checkBuilders), (checks) =>
        checks.filter(({ ok }) => !ok).map(({ check }) => check),
      )
      assert.deepStrictEqual(yield* failed, [])
      const damages = [
        sql`update builder_day set users = users + 1 where (builder, day) = (select builder, day from builder_day where builder > 0 limit 1)`,
        sql`update builder_total set fees = fees + 1 where builder = 1`,
        sql`delete from builder_user where ctid = (select ctid from builder_user limit 1)`,
        sql`update builder_window set usd = usd + 1 where ctid = (select ctid from builder_window limit 1)`,
      ]
      for (const damage of damages) {
        yield* damage
        assert.deepStrictEqual(yield* failed, ["builders"])
        yield* tx(resetBuilders(sql))
        yield* advanceBuilders
      }
      assert.deepStrictEqual(yield* failed, [])
      assert.deepStrictEqual(yield* stored, settled)

      // Leaderboards.
      const [{ code } = assert.fail("there are no builders")] = simulation.model.builders
      const path = `/v3/builders/${code}/leaderboard`
      assert.strictEqual((yield* askWith(key, `${path}?sort=total_pnl`)).status, 503)
      yield* refreshLeaderboards
      assert.isTrue(yield* rankBuilderUsers)
      assert.isFalse(yield* rankBuilderUsers)
      const [head] = yield* sql<{ block: number; at: number }>`
        select p.to_block as block, extract(epoch from b.at)::int as at from builder_progress p join block b on b.number = p.to_block`
      const counted = fills.filter(({ block }) => block <= (head?.block ?? 0))
      const { board } = yield* referenceBoards
      const pages = (query: string) =>
        Effect.gen(function* () {
          const rows: Array<Json> = []
          for (;;) {
            const json = yield* ask(key, `${path}?${query}&limit=${isSoak ? 7 : 40}&offset=${rows.length}`)
            assert.deepInclude(json, {
              as_of: head?.at,
              pnl_as_of: Math.floor(simulation.model.world.clock.timestampOf(simulation.head)),
            })
            rows.push(...json.leaderboard)
            if (!json.has_more) return rows
          }
        })
      for (const [period, days] of Object.entries(boardDays)) {
        const since = days === 0 ? 0 : (head?.at ?? 0) - days * 86_400
        const own = counted.filter(({ builder, at }) => builder === code && at > since)
        const users = Map.groupBy(own, ({ wallet }) => wallet)
        const ever = Map.groupBy(
          counted.filter(({ builder }) => builder === code),
          ({ wallet }) => wallet,
        )
        const standings = new Map(board(undefined, undefined).map((row) => [`0x${row.wallet}`, row]))
        const results = days === 0 ? standings : new Map(board(undefined, days).map((row) => [`0x${row.wallet}`, row]))
        const expected = new Map(
          [...users].map(([wallet, theirs]) => {
            const { volume, fees, fills: number } = trueFigures(theirs)
            const { first, last } = trueFigures(ever.get(wallet) ?? [])
            const standing = standings.get(wallet) ?? assert.fail(`${wallet} has no standing`)
            const { realized, profit, wins, losses } = results.get(wallet) ?? {
              realized: 0n,
              profit: 0n,
              wins: 0,
              losses: 0,
            }
            return [
              wallet,
              {
                wallet,
                volume: exactAmount(volume),
                fees: exactAmount(fees),
                fill_count: number,
                first_fill: String(first),
                last_fill: String(last),
                realized_pnl: exactAmount(realized),
                gross_profit: exactAmount(profit),
                gross_loss: exactAmount(profit - realized),
                unrealized_pnl: exactAmount(standing.unrealized),
                total_pnl: exactAmount(realized + standing.unrealized),
                wins,
                losses,
                position_count: standing.positions,
                open_positions: standing.open,
              },
            ]
          }),
        )
        for (const sort of ["volume", "realized_pnl", "total_pnl"] as const) {
          const rows = yield* pages(`period=${period}&sort=${sort}`)
          assert.deepStrictEqual(
            new Map(rows.map(({ rank: _, ...row }) => [row.wallet, row])),
            expected,
            `${period} ${sort}`,
          )
          assert.deepStrictEqual(
            rows.map(({ rank }) => rank),
            rows.map((_, index) => index + 1),
          )
          const values = rows.map((row) => row[sort])
          assert.deepStrictEqual(
            values,
            values.toSorted((a, b) => b - a),
          )
        }
      }
    }),
  )

  it.effect("page through results by cursor until they are replaced", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { key } = yield* keyOf("enterprise")
      const [most] = (yield* ask(key, "/v3/builders?sort=users&limit=1")).builders
      const path = `/v3/builders/${most.builder}/leaderboard?pagination=cursor&sort=total_pnl`
      const rows: Array<Json> = []
      let cursor = ""
      for (let next = ""; ; ) {
        const page = yield* ask(key, `${path}&limit=3${next}`)
        rows.push(...page.leaderboard)
        if (page.next_cursor === null) break
        cursor = page.next_cursor
        next = `&cursor=${cursor}`
      }
      const whole = yield* ask(key, `/v3/builders/${most.builder}/leaderboard?sort=total_pnl&limit=100`)
      assert.isAbove(rows.length, 10)
      assert.deepStrictEqual(rows.slice(0, 100), whole.leaderboard)
      assert.isNull(whole.next_cursor)
      const refused = [
        [`${path}&cursor=abc`, /unchanged `next_cursor`/],
        [`${path.replace("total_pnl", "realized_pnl")}&cursor=${cursor}`, /belongs to another query/],
        [`/v3/builders/${most.builder}/leaderboard?cursor=${cursor}`, /pagination=cursor/],
        [`${path}&period=7d`, /period=all/],
        [`${path.replace("total_pnl", "volume")}`, /sort=realized_pnl/],
        [`${path}&offset=5`, /must be 0/],
        [`/v3/builders/${most.builder}/leaderboard?offset=401&limit=100`, /at most 500/],
        [`/v3/builders/${most.builder}/leaderboard?offset=-1`, /offset/],
        [`/v3/builders/${most.builder}/leaderboard?period=1y`, /"1d".*"7d".*"30d".*"all"/],
        [`/v3/builders/${most.builder}/leaderboard?sort=luck`, /"volume".*"realized_pnl"/],
      ] as const
      for (const [wrong, message] of refused) {
        const { status, text } = yield* askWith(key, wrong)
        assert.strictEqual(status, 400, `${wrong}: ${text}`)
        assert.match(text.replaceAll("\\", ""), message, wrong)
      }
      assert.strictEqual((yield* ask(key, `/v3/builders/${most.builder}/leaderboard?offset=400&limit=999`)).limit, 100)
      // The boards count again and the results become another version.
      yield* sql`update builder_pnl_state set block = block - 1`
      assert.isTrue(yield* rankBuilderUsers)
      const { status, json } = yield* askWith(key, `${path}&cursor=${cursor}`)
      assert.strictEqual(status, 409)
      assert.match(json.hint, /offset 0/)
    }),
  )

  it.effect("list the fills of a builder's orders", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { key } = yield* keyOf("enterprise")
      const [most] = (yield* ask(key, "/v3/builders?limit=1")).builders
      const path = `/v3/builders/${encodeURIComponent(most.builder_name)}/trades`
      const identity = { builder: most.builder, builder_code: most.builder, builder_name: most.builder_name }
      const whole = yield* ask(key, `/v3/trades?builder=${most.builder}&limit=300`)
      const same = yield* askWith(key, `${path}?limit=300`)
      const shown = same.status === 409 ? yield* ask(key, `/v3/builders/${most.builder}/trades?limit=300`) : same.json
      assert.deepInclude(shown, identity)
      assert.deepStrictEqual(
        shown.trades.map(
          ({ builder_code: _, builder_name: __, builder_logo: ___, builder_verified: ____, ...row }: Json) => row,
        ),
        whole.trades,
      )
      assert.isTrue(shown.trades.some((row: Json) => row.role === "maker"))
      assert.isTrue(shown.trades.every((row: Json) => row.builder_name === most.builder_name))
      const events = yield* sql<{ token: string; category: string; tags: ReadonlyArray<string> }>`
        select encode(t.hash, 'hex') as token, e.category, array(select jsonb_array_elements_text(e.tags)) as tags
        from token t join event e on e.id = t.event`
      const byToken = new Map(events.map((row) => [BigInt(`0x${row.token}`).toString(), row]))
      const base = `/v3/builders/${most.builder}/trades`
      const all = yield* everyPage(key, base, "trades", true, 100)
      assert.strictEqual(all.length, most.fill_count)
      const [some] = all.flatMap((row) => byToken.get(row.token_id) ?? [])
      const [category, tag] = [some?.category ?? "", some?.tags[0] ?? ""]
      const filtered = [
        [`category=${encodeURIComponent(category)}`, (row: Json) => byToken.get(row.token_id)?.category === category],
        [`tag_slug=${tag}`, (row: Json) => byToken.get(row.token_id)?.tags.includes(tag) === true],
        [`tag_slug=${tag}&side=buy`, (row: Json) => byToken.get(row.token_id)?.tags.includes(tag) && row.side === 0],
        [
          `token_id=${all[0].token_id}&category=${encodeURIComponent(category)}`,
          (row: Json) => row.token_id === all[0].token_id && byToken.get(row.token_id)?.category === category,
        ],
        [
          `min_amount=50&after=${all.at(-3).timestamp}&before=${all[3].timestamp}`,
          (row: Json) =>
            row.size >= 50 &&
            Number(row.timestamp) >= Number(all.at(-3).timestamp) &&
            Number(row.timestamp) < Number(all[3].timestamp),
        ],
      ] as const
      for (const [parameters, isWanted] of filtered) {
        const rows = yield* everyPage(key, `${base}?${parameters}`, "trades", true, 30)
        assert.deepStrictEqual(rows, all.filter(isWanted), parameters)
      }
      const answered = yield* askWith(key, `${base}?category=Nothing`)
      assert.deepStrictEqual([answered.status, answered.json.error], [404, "Not found."])
      // As if the builder were very busy.
      yield* sql`update builder_day set fills = fills + 20000 where builder = (select id from builder where code = decode(${most.builder.slice(2)}, 'hex'))`
      const broad = yield* askWith(key, `${base}?tag_slug=${tag}`)
      assert.strictEqual(broad.status, 400)
      assert.match(broad.json.hint, /`after`.*`market_slug`/)
      assert.strictEqual((yield* askWith(key, `${base}?tag_slug=${tag}&token_id=${all[0].token_id}`)).status, 200)
      assert.strictEqual((yield* askWith(key, `${base}?tag_slug=${tag}&before=1000000`)).status, 200)
      yield* sql`update builder_day set fills = fills - 20000 where builder = (select id from builder where code = decode(${most.builder.slice(2)}, 'hex'))`
      const { paths } = yield* ask(key, "/openapi.json")
      assert.isTrue(paths["/v3/builders/{code}/trades"].get["x-access"].heavy)
    }),
  )

  it.effect("are found by code or name in any case, and say what is wrong with others", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const { key: free } = yield* keyOf("free")
      const { builders } = yield* ask(key, "/v3/builders")
      const named = (name: string) => builders.filter((row: Json) => row.builder_name === name)
      const unique = builders.find((row: Json) => named(row.builder_name).length === 1)
      const shared = builders.find((row: Json) => named(row.builder_name).length > 1)
      const paths = ["", "/trades", "/activity/daily", "/leaderboard"]
      for (const path of paths) {
        for (const given of [
          unique.builder,
          unique.builder.toUpperCase().replace("0X", "0x"),
          unique.builder_name.toUpperCase(),
          unique.builder_name.toLowerCase(),
        ]) {
          const json = yield* ask(key, `/v3/builders/${encodeURIComponent(given)}${path}`)
          assert.strictEqual(json.builder, unique.builder, `${given}${path}`)
        }
        const { status, json } = yield* askWith(key, `/v3/builders/${shared.builder_name}${path}`)
        assert.strictEqual(status, 409, path)
        assert.sameMembers(
          json.codes,
          named(shared.builder_name).map((row: Json) => row.builder),
        )
        const misspelt = yield* askWith(
          key,
          `/v3/builders/${encodeURIComponent(unique.builder_name.slice(0, -1))}${path}`,
        )
        assert.strictEqual(misspelt.status, 404)
        assert.include(misspelt.json.hint, unique.builder_name)
        const unknown = yield* askWith(key, `/v3/builders/0x${"e".repeat(64)}${path}`)
        assert.strictEqual(unknown.status, 404)
        assert.strictEqual((yield* askWith(free, `/v3/builders/${unique.builder}${path}`)).status, 402, path)
      }
      // A cursor of one name of a parameter is one of the other.
      const { next_cursor, builders: first } = yield* ask(key, "/v3/builders?sort_by=fees&limit=1")
      const { builders: both } = yield* ask(key, "/v3/builders?sort=fees&sort_by=fees&limit=2")
      const { builders: second } = yield* ask(key, `/v3/builders?sort=fees&limit=1&cursor=${next_cursor}`)
      assert.deepStrictEqual([...first, ...second], both)
      const refused = [
        ["/v3/builders?sort=name", /"volume".*"fees"/],
        ["/v3/builders?sort_by=name", /"volume".*"fees"/],
        ["/v3/builders?sort=fees&sort_by=users", /`sort` is fees, but `sort_by` is users/],
        ["/v3/builders?offset=10001", /use `cursor`/],
        ["/v3/builders?cursor=abc", /unchanged `next_cursor`/],
        ["/v3/builders/activity/daily?after=1794700800000", /looks like milliseconds/],
        [`/v3/builders/${unique.builder}/activity/daily?after=20&before=10`, /must be less than/],
        [`/v3/builders/${unique.builder}/trades?side=hold`, /"buy".*"sell"/],
        [`/v3/builders/${unique.builder}/trades?wallet=0x12`, /wallet/],
        [`/v3/builders/${unique.builder}/trades?category=`, /category/],
      ] as const
      for (const [path, message] of refused) {
        const { status, text } = yield* askWith(key, path)
        assert.strictEqual(status, 400, `${path}: ${text}`)
        assert.match(text.replaceAll("\\", ""), message, path)
      }
      for (const path of [
        "/v3/builders",
        "/v3/builders/activity/daily",
        `/v3/builders/${unique.builder}/leaderboard`,
        `/v3/builders/${unique.builder}/activity/daily`,
      ]) {
        const csv = yield* askWith(key, `${path}?limit=2`, { headers: { accept: "text/csv" } })
        assert.match(String(csv.headers["content-type"]), /^text\/csv/)
        assert.match(String(csv.headers["x-data-age-ms"]), /^\d+$/)
        assert.lengthOf(csv.text.trim().split("\r\n"), 3)
      }
    }),
  )
})
