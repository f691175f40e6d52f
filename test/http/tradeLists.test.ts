import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cursors } from "#http/v3/cursor.ts"
import { listAnswers } from "#http/v3/pages.ts"
import { usdc } from "#src/domain/amounts.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { LedgerCoverage } from "#src/ledger/coverage/LedgerCoverage.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Dice } from "#src/simulator/random.ts"
import type { ListPlace, TradeFilter, TradePage, TradeQuery } from "#src/trades/list/model.ts"
import { findIds, readPage } from "#src/trades/list/TradeListStore.ts"
import {
  drawFilter,
  expectedLine,
  expectedTrades,
  lineOf,
  type Row,
  tradesOfTokens,
  withoutExchange,
} from "./support/expectedTrades.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { livedServer, livedWorld } from "./support/livedWorld.ts"

const server = livedServer(71)

/** All pages of a list. */
const everyPage = Effect.fnUntraced(function* (key: string, path: string, limit: number) {
  const rows: Array<Row> = []
  let next = ""
  for (;;) {
    const { status, json, text } = yield* askWith(key, `${path}${path.includes("?") ? "&" : "?"}limit=${limit}${next}`)
    assert.strictEqual(status, 200, `${path}${next}: ${text}`)
    assert.deepInclude(json, { limit, offset: 0, rows_returned: json.trades.length })
    assert.strictEqual(json.has_more, json.next_cursor !== null)
    rows.push(...json.trades)
    if (!json.has_more) return rows.map(withoutExchange)
    next = `&cursor=${json.next_cursor}`
  }
})

const byTime = { sortBy: "timestamp", limit: 20, offset: 0, byOrder: false } as const

const isSoak = process.env.PRESAGE_SOAK === "1"

layer(server, { excludeTestServices: true })("Lists of trades", (it) => {
  it.effect("have every fill that matches, in order, whatever the filter and the page", () =>
    Effect.gen(function* () {
      const simulation = yield* livedWorld(71)
      const all = yield* expectedTrades(simulation)
      const { key } = yield* keyOf("enterprise")
      const dice = new Dice(61)
      let compared = 0
      // Filters that find little prove little: a few more are drawn then.
      const [rounds, mostRounds] = isSoak ? [600, 600] : [19, 60]
      for (let round = 0; round < rounds || (compared <= 1_000 && round < mostRounds); round++) {
        const { path, found } = drawFilter(dice, all)
        const limit = found.length > 1_000 ? 300 : dice.between(1, 90)
        const rows = yield* everyPage(
          key,
          path,
          isSoak ? limit : Math.max(limit, Math.min(300, Math.ceil(found.length / 5))),
        )
        compared += rows.length
        assert.deepStrictEqual(rows.map(lineOf), found.map(expectedLine), path)
      }
      assert.isAbove(compared, 1_000)

      const once = all.filter(({ taker }) => taker !== null)
      const trades = tradesOfTokens(all)
      const minted = trades.find(({ taker }) => taker === null) ?? assert.fail("no match minted or merged a pair")
      const token = minted.token
      const ofToken = trades.filter((fill) => fill.token === token).map(expectedLine)
      assert.deepStrictEqual((yield* everyPage(key, `/v3/markets/${token}/trades`, 7)).map(lineOf), ofToken)
      const listed = once.find(({ slug }) => slug !== undefined)
      const ofMarket = once.filter(({ slug }) => slug === listed?.slug).map(expectedLine)
      assert.deepStrictEqual(
        (yield* everyPage(key, `/v3/markets/slug/${listed?.slug}/trades/`, 7)).map(lineOf),
        ofMarket,
      )

      const { json, headers } = yield* askWith(key, "/v3/trades?limit=5&offset=5")
      assert.deepStrictEqual(json.trades.map(withoutExchange).map(lineOf), once.slice(5, 10).map(expectedLine))
      assert.strictEqual(json.as_of.block_number, simulation.head)
      assert.isAbove(json.as_of.seq, 0)
      assert.isTrue(json.coverage.complete)
      assert.match(String(headers["x-data-age-ms"]), /^\d+$/)
      const [first] = json.trades as ReadonlyArray<Row>
      assert.strictEqual(first?.maker_asset_id, first?.side === 0 ? "0" : first?.token_id)
      assert.strictEqual(first?.taker_amount, first?.side === 0 ? first?.size : first?.amount_usd)
    }),
  )

  it.effect("examine a limited number of fills per page, and continue where they stopped", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const [busy] = yield* sql<{ wallet: string }>`
        select '0x' || encode(w.address, 'hex') as wallet from fill f join wallet w on w.id = f.maker
        group by w.address order by count(*) desc limit 1`
      const walk = Effect.fnUntraced(function* (filter: TradeFilter, order: "asc" | "desc", most: number) {
        const ids = yield* findIds(sql, filter)
        const found: Array<string> = []
        let [behind, shortPages]: [ListPlace | undefined, number] = [undefined, 0]
        for (;;) {
          const query: TradeQuery = { ...byTime, filter, order, behind }
          const { trades, next }: TradePage = yield* readPage(sql, query, ids, { examined: most, sorted: most })
          found.push(...trades.map(({ tx, logIndex }) => `${tx}_${logIndex}`))
          if (next === undefined) return { found, shortPages }
          if (trades.length < 20) shortPages += 1
          behind = next
        }
      })
      const bySize = {
        ...byTime,
        filter: { wallet: busy?.wallet },
        order: "desc",
        sortBy: "size",
        behind: undefined,
      } as const
      const few = { examined: 25, sorted: 25 }
      const tooMany = yield* Effect.flip(readPage(sql, bySize, yield* findIds(sql, bySize.filter), few))
      assert.strictEqual(tooMany._tag, "TooManyToSort")
      const filters: ReadonlyArray<TradeFilter> = [
        { minUsd: usdc(50_000_000n) },
        { wallet: busy?.wallet, side: "sell" },
      ]
      for (const filter of filters) {
        for (const order of ["asc", "desc"] as const) {
          const whole = yield* walk(filter, order, 1_000_000)
          const limited = yield* walk(filter, order, 25)
          assert.isAbove(whole.found.length, 0)
          assert.strictEqual(whole.shortPages, 0)
          assert.isAbove(limited.shortPages, 0)
          assert.deepStrictEqual(limited.found, whole.found)
        }
      }
    }),
  )

  it.effect("by order have one row per order, with the sums of its fills that match", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { key } = yield* keyOf("enterprise")
      // The venue rarely fills an order several times; here, all fills of a wallet on one side of a token are one order.
      yield* sql`update fill set order_hash = sha256(convert_to(maker || ' ' || token || ' ' || is_sale, 'UTF8'))`
      const [most] = yield* sql<{ wallet: string }>`
        select '0x' || encode(w.address, 'hex') as wallet from fill f join wallet w on w.id = f.maker
        group by w.address order by count(*) - count(distinct order_hash) desc limit 1`
      const [widest] = yield* sql<{ token: string }>`
        select encode(t.hash, 'hex') as token from fill f join token t on t.id = f.token where f.taker <> 0
        group by t.hash order by count(*) - count(distinct order_hash) desc limit 1`
      const paths = [
        `/v3/wallets/${most?.wallet}/trades`,
        `/v3/markets/${tokenOfHex(widest?.token ?? "")}/trades`,
        "/v3/trades?side=sell",
        "/v3/trades?order=asc",
      ]
      for (const path of paths) {
        const plain = yield* everyPage(key, path, 300)
        const orders = [...Map.groupBy(plain, ({ order_hash }) => order_hash).values()].map((fills) => {
          const sum = (read: (row: Row) => number) =>
            fills.reduce((all, row) => all + Math.round(read(row) * 1e6), 0) / 1e6
          const times = fills.map(({ timestamp }) => Number(timestamp))
          return {
            id: fills[0]?.id ?? "",
            fill_count: fills.length,
            total_usd: sum((row) => row.amount_usd),
            total_shares: sum((row) => row.size),
            total_fee: sum((row) => row.fee),
            first_fill_at: Math.min(...times),
            last_fill_at: Math.max(...times),
            txs: [...new Set(fills.map((row) => row.transaction_hash))].sort(),
          }
        })
        assert.isBelow(orders.length, plain.length)
        const grouped = yield* everyPage(key, `${path}${path.includes("?") ? "&" : "?"}group_by=order_hash`, 40)
        assert.deepStrictEqual(
          grouped.map((row) => ({
            id: row.id,
            fill_count: row.fill_count,
            total_usd: row.total_usd,
            total_shares: row.total_shares,
            total_fee: row.total_fee,
            first_fill_at: row.first_fill_at,
            last_fill_at: row.last_fill_at,
            txs: row.tx_hashes?.toSorted(),
          })),
          orders,
          path,
        )
      }
    }),
  )

  it.effect("have the same trades in the form of V2", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("free")
      const { key: paid } = yield* keyOf("enterprise")
      const pages = Effect.fnUntraced(function* (path: string, name: "cursor" | "pagination_key") {
        const rows = []
        let next = ""
        for (;;) {
          const { json, text } = yield* askWith(key, `${path}${path.includes("?") ? "&" : "?"}limit=300${next}`)
          assert.strictEqual(json.count, json.trades?.length, text)
          rows.push(...json.trades)
          if (!json.pagination.has_more) return { rows, last: json }
          next = `&${name}=${json.pagination[name]}`
        }
      })
      const inV3 = (yield* everyPage(paid, "/v3/trades", 300)).map((row) => `${row.transaction_hash} ${row.size}`)
      const { rows, last } = yield* pages("/v2/onchain/trades", "pagination_key")
      assert.deepStrictEqual(
        rows.map((row) => `${row.tx_hash} ${row.shares}`),
        inV3,
      )
      assert.isAbove(last.as_of.block_number, 0)
      const [first] = rows
      const at: number = rows[Math.floor(rows.length / 2)].timestamp
      const until = yield* pages(`/v2/onchain/trades?start_time=${at}&end_time=${at}`, "pagination_key")
      assert.deepStrictEqual(
        until.rows,
        rows.filter(({ timestamp }) => timestamp === at),
      )
      const ofWallet = yield* pages(`/v2/onchain/wallets/${first.maker}/trades`, "cursor")
      const walletInV3 = yield* everyPage(paid, `/v3/wallets/${first.maker}/trades`, 300)
      assert.deepStrictEqual(
        ofWallet.rows.map((row) => [row.tx_hash, row.maker_amount, row.taker_asset_id, row.side, row.slug]),
        walletInV3.map((row) => [row.transaction_hash, row.maker_amount, row.taker_asset_id, row.role, row.slug]),
      )
      const ofToken = yield* pages(`/v2/onchain/markets/${first.token_id}/trades`, "cursor")
      assert.strictEqual(ofToken.last.condition_id, first.condition_id)
      const tokenInV3 = yield* everyPage(paid, `/v3/markets/${first.token_id}/trades`, 300)
      assert.deepStrictEqual(
        ofToken.rows.map((row) => [row.tx_hash, row.maker_amount, row.taker_amount]),
        tokenInV3.map((row) => [row.transaction_hash, row.maker_amount, row.taker_amount]),
      )
      const orders = yield* pages("/v2/onchain/trades?group_by=order_hash", "pagination_key")
      assert.strictEqual(
        orders.rows.reduce((sum, row) => sum + row.fill_count, 0),
        rows.length,
      )
    }),
  )

  it.effect("come as CSV and NDJSON, with the cursor in a header", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const { json } = yield* askWith(key, "/v3/trades?limit=3")
      const ndjson = yield* askWith(key, "/v3/trades?limit=3", { headers: { accept: "application/x-ndjson" } })
      assert.deepStrictEqual(
        ndjson.text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
        json.trades,
      )
      const csv = yield* askWith(key, "/v3/trades?limit=3", { headers: { accept: "text/csv" } })
      assert.match(String(csv.headers["content-type"]), /^text\/csv/)
      const [header = "", ...lines] = csv.text.trim().split("\r\n")
      assert.strictEqual(header.split(",")[0], "id")
      assert.deepStrictEqual(
        lines.map((line) => line.split(",")[0]),
        json.trades.map(({ id }: Row) => id),
      )
      const next = yield* askWith(key, `/v3/trades?limit=3&cursor=${csv.headers["x-next-cursor"]}`)
      const whole = yield* askWith(key, "/v3/trades?limit=6")
      assert.deepStrictEqual([...json.trades, ...next.json.trades], whole.json.trades)
      assert.strictEqual((yield* askWith(key, "/v3/trades", { headers: { accept: "image/png" } })).status, 406)
    }),
  )

  it.effect("refuse what they cannot answer, and say what to do", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const { json: page } = yield* askWith(key, "/v3/trades?limit=2&side=buy")
      const cursor: string = page.next_cursor
      const { json: some } = yield* askWith(key, "/v3/trades?limit=50")
      const [one, other] = (some.trades as ReadonlyArray<Row>).filter(
        ({ condition_id }, i, all) => all.findIndex((each) => each.condition_id === condition_id) === i,
      )
      const refused = [
        ["/v3/trades?after=1794700800000", 400, /looks like milliseconds/],
        ["/v3/trades?after=5&before=5", 400, /must be less than/],
        ["/v2/onchain/trades?start_time=6&end_time=5", 400, /must be less than/],
        ["/v3/trades?before=soon", 400, /expected Unix seconds/],
        ["/v3/trades?side=up", 400, /"buy".*"sell".*"both"/],
        ["/v3/trades?group_by=maker", 400, /"order_hash"/],
        ["/v3/trades?sort_by=maker", 400, /"timestamp".*"amount_usd".*"size"/],
        ["/v3/trades?sort_by=size&group_by=order_hash", 400, /only sorted by timestamp/],
        ["/v2/onchain/trades?sort_by=size&group_by=order_hash", 400, /only sorted by timestamp/],
        ["/v2/onchain/trades?start_time=1794700800000", 400, /looks like milliseconds/],
        ["/v2/onchain/trades?limit=1001", 400, /1000/],
        ["/v2/onchain/markets/1/trades?cursor=x", 400, /"cursor": .*unchanged `pagination.cursor`/],
        ["/v2/onchain/trades?pagination_key=x", 400, /"pagination_key": .*unchanged `pagination.pagination_key`/],
        ["/v3/trades?order=up", 400, /"desc".*"asc"/],
        ["/v3/trades?offset=10001", 400, /use `cursor`/],
        ["/v3/trades?min_amount_usd=NaN", 400, /min_amount_usd/],
        ["/v3/trades?min_amount_usd=-1", 400, /from 0 to/],
        ["/v3/trades?order_hash=0x12", 400, /64 hexadecimal digits/],
        ["/v3/trades?wallet=0x12", 400, /wallet/],
        [`/v3/trades?limit=2&side=sell&cursor=${cursor}`, 400, /belongs to another query/],
        [`/v3/trades?limit=2&side=buy&cursor=${cursor.slice(0, -2)}AA`, 400, /unchanged `next_cursor`/],
        ["/v3/trades?cursor=%F0%9F%98%80", 400, /unchanged `next_cursor`/],
        [`/v3/positions?cursor=${some.next_cursor}`, 400, /belongs to another query/],
        [`/v3/tags?cursor=${some.next_cursor}`, 400, /belongs to another query/],
        [`/v3/trades?token_id=${one?.token_id}&condition_id=${other?.condition_id}`, 400, /token_id, condition_id/],
        ["/v3/trades?market_slug=no-such-market", 404, /market/],
        [`/v3/trades?market_slug=${one?.slug?.toUpperCase()}`, 404, new RegExp(`Did you mean "${one?.slug}"`)],
        ["/v3/trades?event_id=2147483647", 404, /There is no event "2147483647"/],
        [`/v3/trades?event_id=2147483647&token_id=${one?.token_id}`, 404, /There is no event/],
        [`/v3/markets/slug/${"a".repeat(5000)}/trades`, 400, /1 to 255 visible characters/],
        ["/v3/markets/1/trades", 404, /token/],
        ["/v3/markets/slug/no-such-market/trades", 404, /market/],
        ["/v3/wallets/0x12/trades", 400, /address/],
      ] as const
      for (const [path, status, message] of refused) {
        const answer = yield* askWith(key, path)
        assert.strictEqual(answer.status, status, `${path}: ${answer.text}`)
        assert.match(answer.text.replaceAll("\\", ""), message, path)
      }
      const empty = yield* askWith(key, `/v3/wallets/0x${"e".repeat(40)}/trades`)
      assert.deepInclude(empty.json, { trades: [], has_more: false, next_cursor: null })
      assert.strictEqual((yield* askWith(key, "/v3/trades?limit=999")).json.limit, 300)
      const { key: free } = yield* keyOf("free")
      assert.strictEqual((yield* askWith(free, "/v3/trades")).status, 402)
    }),
  )

  it.effect("a cursor is not refused by a release whose list has another column, only by another list", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.provide(listAnswers, Layer.merge(Cursors.layer, LedgerCoverage.layer))
      const page = (list: string, columns: ReadonlyArray<string>, cursor?: string) =>
        answers(
          { list, key: "data", columns, covers: "facts" },
          { ...(cursor !== undefined && { cursor }) },
          ({ behind }) => Effect.succeed({ rows: [], next: [7], asOf: undefined, more: { behind } }),
        )
      const { nextCursor } = yield* page("things", ["id"])
      const next = yield* page("things", ["id", "title"], nextCursor ?? "")
      assert.deepStrictEqual(next.rest["behind"], [7n])
      const refused = yield* Effect.flip(page("others", ["id"], nextCursor ?? ""))
      assert.match(JSON.stringify(refused), /belongs to another query/)
    }),
  )
})
