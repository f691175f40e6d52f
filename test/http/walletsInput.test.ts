import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { historyRead } from "#test/support/historyRead.ts"
import { call } from "./support/client.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { apiServer, boundPort } from "./support/server.ts"

type Row = Readonly<Record<"token_id", string>>

layer(apiServer, { excludeTestServices: true })("Input of position endpoints", (it) => {
  const address = `0x${"aB".repeat(20)}`
  const closed = `/v2/wallets/${address}/closed-positions`
  const ofWallet = `/v2/wallets/${address}/positions/onchain`
  const onchain = "/v2/onchain/positions"
  const wrong: ReadonlyArray<readonly [path: string, param: string, error: RegExp]> = [
    ["/v2/wallets/0x12/closed-positions", "address", /an address is 0x and 40 hexadecimal digits/],
    [`/v2/wallets/${address.slice(2)}/closed-positions`, "address", /an address is 0x/],
    [`/v2/wallets/${address}0/positions/onchain`, "address", /an address is 0x/],
    [`/v2/wallets/0x${"g".repeat(40)}/positions/onchain`, "address", /an address is 0x/],
    [`${closed}?limit=0`, "limit", /between 1 and 50/],
    [`${closed}?limit=51`, "limit", /between 1 and 50/],
    [`${closed}?limit=1.5`, "limit", /integer/],
    [`${closed}?limit=NaN`, "limit", /./],
    [`${closed}?offset=-1`, "offset", /0/],
    [`${closed}?offset=99999999999999999999`, "offset", /fewer digits/],
    [`${closed}?sortBy=SIZE`, "sortBy", /"REALIZEDPNL", "AVGPRICE", "PRICE", "TITLE", "TIMESTAMP"/],
    [`${closed}?sortDirection=down`, "sortDirection", /"ASC", "DESC"/],
    [`${closed}?market=`, "market", /1 to 255 visible characters/],
    [`${closed}?title=a%00b`, "title", /NUL/],
    [`${closed}?title=a%07b`, "title", /visible characters/],
    [`${closed}?title=${"a".repeat(256)}`, "title", /1 to 255/],
    [`${closed}?sort=TITLE`, "sort", /Unknown parameter/],
    [`${ofWallet}?limit=1001`, "limit", /between 1 and 1000/],
    [`${ofWallet}?status=lost`, "status", /"all", "open", "closed", "redeemable", "redeemed"/],
    [`${ofWallet}?min_size=-1`, "min_size", /from 0 to/],
    [`${ofWallet}?min_size=1e300`, "min_size", /from 0 to/],
    [`${onchain}?limit=501`, "limit", /between 1 and 500/],
    [`${onchain}?order=up`, "order", /"asc", "desc"/],
    [`${onchain}?wallet=me`, "wallet", /an address is 0x/],
    [`${onchain}?condition_id=0x12`, "condition_id", /a condition id is/],
    [`${onchain}?token_id=0x12`, "token_id", /a token id is/],
    [`${onchain}?condition_id=${2n ** 255n}`, "condition_id", /a condition id is/],
    [`${onchain}?token_id=${2n ** 256n}`, "token_id", /a token id is/],
    [`${onchain}?tag_slug=%20`, "tag_slug", /1 to 255/],
    ...["", "abc", "MS4y=", "LTEuMg", "MS4yLjM", "OTk5OTk5OTk5OS4x", "%F0%9F%92%A9"].map(
      (text) => [`${onchain}?pagination_key=${text}`, "pagination_key", /of an earlier page/] as const,
    ),
  ]
  it.effect("invalid parameters are refused with their name and what is expected", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      for (const [path, param, error] of wrong) {
        const { status, json, text } = yield* askWith(key, path)
        assert.deepStrictEqual([status, json?.param], [400, param], `${path}: ${text}`)
        assert.match(json.error, error, path)
      }
    }),
  )
  it.effect("requests are 503 while the history is incomplete", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("free")
      for (const path of [closed, ofWallet, onchain]) {
        const { status, json } = yield* askWith(key, path)
        assert.strictEqual(status, 503, path)
        assert.match(json.error, /history is still being read/)
        assert.match(json.hint, /readyz/)
      }
    }),
  )
  it.effect("an unknown wallet or name is 404 with the nearest name, a known one without positions is empty", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("free")
      yield* historyRead
      const coverage = { from_block: 1, from_time: 0, complete: true }
      for (const path of [closed, ofWallet]) {
        const { status, json } = yield* askWith(key, path)
        assert.deepStrictEqual([status, json.error], [404, "Not found."])
      }
      const { sql } = yield* Postgres
      yield* sql`insert into wallet (address) values (${Buffer.from("ab".repeat(20), "hex")})`
      const wallet = address.toLowerCase()
      assert.deepStrictEqual((yield* askWith(key, `${closed}?offset=${Number.MAX_SAFE_INTEGER}`)).json, {
        wallet,
        count: 0,
        offset: Number.MAX_SAFE_INTEGER,
        limit: 10,
        coverage,
        positions: [],
      })
      const all = (yield* askWith(key, ofWallet)).json
      assert.deepInclude(all, { wallet, count: 0, total_pnl: 0, positions_with_pnl: 0, has_more: false, positions: [] })
      const last = Buffer.from("2147483647.2147483647").toString("base64url")
      for (const query of ["", `wallet=0x${"0".repeat(40)}`, `pagination_key=${last}`]) {
        assert.deepStrictEqual((yield* askWith(key, `${onchain}?${query}`)).json, {
          count: 0,
          coverage,
          pagination: { limit: 100, has_more: false, pagination_key: null },
          positions: [],
        })
      }
      yield* sql`insert into tag (id, slug, label) values (1, 'crypto', 'Crypto')`
      for (const list of [onchain, ofWallet]) {
        assert.strictEqual((yield* askWith(key, `${list}?tag_slug=crypto`)).status, 200)
        for (const [query, hint] of [
          ["tag_slug=cripto", 'There is no tag "cripto". Did you mean "crypto"?'],
          ["market_slug=none", 'There is no market "none".'],
          ["token_id=0", 'There is no token "0".'],
          [`condition_id=0x${"ab".repeat(32)}`, `There is no condition "0x${"ab".repeat(32)}".`],
        ] as const) {
          const { status, json } = yield* askWith(key, `${list}?${query}`)
          assert.deepStrictEqual([status, json], [404, { error: "Not found.", hint }], list)
        }
      }
      assert.strictEqual((yield* call(yield* boundPort, closed)).status, 401)
    }),
  )

  it.effect(
    "pages have totals over all positions, no price is negative, and a change between two pages moves no position to another page",
    () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("enterprise")
        yield* historyRead
        const { sql } = yield* Postgres
        yield* sql`insert into wallet (address) values (${Buffer.from("cd".repeat(20), "hex")})`
        yield* sql`insert into token (hash) select sha256(n::text::bytea) from generate_series(1, 1501) n`
        yield* sql`
        insert into position (wallet, token, shares, cost, realized, bought, sold, redeemed, changed_at, paid)
        select w.id, t.id, 0, 0, 1000000, 4000000, 4000000, false, now(), case when t.id % 2 = 0 then -3 else 2 end * 1000000
        from wallet w, token t where w.address = ${Buffer.from("cd".repeat(20), "hex")}`
        const path = `/v2/wallets/0x${"cd".repeat(20)}/positions/onchain`
        yield* sql`
          insert into maker_payment (block, log_index, at, wallet, purpose, amount)
          select 1, n, now(), w.id, n % 2, 1500000 * n from wallet w, generate_series(1, 3) n
          where w.address = ${Buffer.from("cd".repeat(20), "hex")}`
        // Of the wallet, whatever the filters.
        const paid = { rewards_received: 3, rebates_received: 6 }
        assert.deepInclude((yield* askWith(key, `${path}?status=open`)).json, { count: 0, total_pnl: 0, ...paid })
        const untouched = (yield* askWith(key, `${path}?limit=1000`)).json.positions.slice(0, 500)
        const seen = new Set<string>()
        for (const [query, rows, more] of [
          ["", 500, true],
          ["?offset=500", 500, true],
          ["?limit=1000&offset=1000", 501, false],
        ] as const) {
          const { json } = yield* askWith(key, `${path}${query}`)
          assert.deepInclude(json, { count: 1501, total_realized_pnl: 1501, has_more: more, ...paid }, query)
          assert.strictEqual(json.positions.length, rows, query)
          for (const { token_id, avg_price } of json.positions) {
            seen.add(token_id)
            assert.include([0, 0.5], avg_price)
          }
        }
        assert.strictEqual(seen.size, 1501)

        // A position that changes between two pages neither comes twice nor pushes another one out.
        for (const way of ["offset", "pagination_key"] as const) {
          const first = (yield* askWith(key, path)).json
          assert.deepStrictEqual(first.positions, untouched)
          yield* sql`update position set changed_at = now() + interval '1 hour' where token = (select max(id) - 700 from token)`
          const at = way === "offset" ? 500 : first.pagination_key
          const second = (yield* askWith(key, `${path}?limit=1000&${way}=${at}`)).json
          assert.deepInclude(second, { has_more: true, count: 1501 })
          const third = (yield* askWith(key, `${path}?pagination_key=${second.pagination_key}`)).json
          assert.deepInclude(third, { has_more: false, pagination_key: null })
          const tokens = [first, second, third].flatMap((page) => page.positions.map((row: Row) => row.token_id))
          assert.strictEqual(tokens.length, 1501, way)
          assert.strictEqual(new Set(tokens).size, 1501, way)
        }
      }),
  )
})
