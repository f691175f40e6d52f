import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ComboPosition } from "#http/positions/list/shapes.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type PositionPlace, type PositionQuery, positionSorts } from "#src/positions/list/model.ts"
import { findIds, type ReadPositions, readPage } from "#src/positions/list/PositionPageStore.ts"
import { Dice } from "#src/simulator/random.ts"
import {
  holderRow,
  inOrder,
  pageRow,
  type Ranked,
  rankedPositions,
  sortValues,
} from "#test/positions/support/expectedPages.ts"
import { usd } from "#test/positions/support/expectedRows.ts"
import { assertIncludes } from "#test/support/assertIncludes.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { livedServer, livedWorld } from "./support/livedWorld.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

const server = livedServer(71)

type Row = typeof ComboPosition.Type & { readonly wallet?: string; readonly user?: string }

const withParameter = (path: string, parameter: string) => `${path}${path.includes("?") ? "&" : "?"}${parameter}`

/** All pages of a list. */
const everyPage = Effect.fnUntraced(function* (key: string, path: string, limit: number) {
  const rows: Array<Row> = []
  let next = ""
  for (;;) {
    const { status, json, text } = yield* askWith(key, `${withParameter(path, `limit=${limit}`)}${next}`)
    assert.strictEqual(status, 200, `${path}${next}: ${text}`)
    const page: ReadonlyArray<Row> = json.positions ?? json.data
    assert.deepInclude(json, { limit, offset: 0, rows_returned: page.length })
    assert.strictEqual(json.has_more, json.next_cursor !== null)
    rows.push(...page)
    if (!json.has_more) return rows
    next = `&cursor=${json.next_cursor}`
  }
})

const statuses = ["all", "open", "closed", "redeemable", "redeemed"] as const
const hasStatus = (status: string) => (each: Ranked) =>
  status === "all" || (status === "closed" ? each.status !== "open" : each.status === status)
const isCombo = ({ token }: Ranked) => token.market.isCombo

const lists = ["wallet", "token", "condition", "slug", "all"] as const

/** A list with parameters drawn at random: its path, which positions it has, and in which order. */
const drawList = (dice: Dice, all: ReadonlyArray<Ranked>, list: (typeof lists)[number]) => {
  const listed = all.filter(({ names }) => names !== undefined)
  const some = dice.pick(list === "slug" ? listed : all)
  const parameters: Array<string> = []
  const tests: Array<(each: Ranked) => boolean> = []
  const add = (text: string, test: (each: Ranked) => boolean) => {
    parameters.push(text)
    tests.push(test)
  }
  const ofToken = ({ token }: Ranked) => token.id === some.token.id
  const ofCondition = ({ token }: Ranked) => token.market.conditionId === some.token.market.conditionId
  const { conditionId } = some.token.market
  const hasMarket = list === "wallet" || list === "all"
  let narrowed = list !== "all"
  if (hasMarket && dice.chance(0.3)) {
    narrowed = true
    if (dice.chance(0.4)) add(`token_id=${some.token.id}`, ofToken)
    else if (dice.chance(0.5)) add(`condition_id=${conditionId}`, ofCondition)
    else if (some.names !== undefined) add(`market_slug=${some.names.slug}`, ofCondition)
    else narrowed = list !== "all"
  }
  if (list === "wallet" && some.names !== undefined && dice.chance(0.3)) {
    const { eventSlug } = some.names
    if (dice.chance(0.5)) add(`event_slug=${eventSlug}`, ({ names }) => names?.eventSlug === eventSlug)
    else if (some.tags[0] !== undefined) {
      const [tag] = some.tags
      add(`tag_slug=${tag}`, ({ tags }) => tags.includes(tag))
    }
  }
  if (dice.chance(0.6)) {
    const status = dice.pick(statuses)
    add(`status=${status}`, hasStatus(status))
  }
  if (dice.chance(0.3)) add(`min_size=${usd(some.shares)}`, ({ shares }) => shares >= some.shares)
  if (hasMarket && dice.chance(0.3)) parameters.push("include_combos=true")
  else if (hasMarket) tests.push((each) => !isCombo(each))
  const defaults = { wallet: "realized_pnl", token: "pnl", condition: "pnl", slug: "realized_pnl", all: "recent" }
  let sort: string = defaults[list]
  if (narrowed && dice.chance(0.8)) {
    sort = dice.pick(Object.keys(sortValues))
    parameters.push(`sort=${sort}`)
  }
  const order = dice.chance(0.3) ? "asc" : "desc"
  if (order === "asc") parameters.push("order=asc")
  const paths = {
    wallet: `/v3/wallets/${some.wallet}/positions`,
    token: `/v3/markets/${some.token.id}/positions`,
    condition: `/v3/markets/condition/${conditionId}/positions`,
    slug: `/v3/markets/slug/${some.names?.slug}/positions`,
    all: "/v3/positions",
  }
  if (list === "wallet") tests.push(({ wallet }) => wallet === some.wallet)
  if (list === "token") tests.push(ofToken)
  if (list === "condition" || list === "slug") tests.push(ofCondition)
  const found = inOrder(
    all.filter((each) => tests.every((test) => test(each))),
    sort,
    order,
  )
  return { path: `${paths[list]}?${parameters.join("&")}`, found }
}

layer(server, { excludeTestServices: true })("Lists of positions", (it) => {
  it.effect("have every position that matches, in order, whatever the filter, the sort and the page", () =>
    Effect.gen(function* () {
      const simulation = yield* livedWorld(71)
      const all = yield* rankedPositions(simulation)
      const { key } = yield* keyOf("enterprise")
      const dice = new Dice(67)
      let compared = 0
      const seen = new Set<string>()
      for (let round = 0; round < (isSoak ? 800 : 20); round++) {
        const list = lists[round % lists.length] ?? "all"
        const { path, found } = drawList(dice, all, list)
        const limit = found.length > 600 ? 300 : dice.between(1, 60)
        const rows = yield* everyPage(
          key,
          path,
          isSoak ? limit : Math.max(limit, Math.min(300, Math.ceil(found.length / 5))),
        )
        assert.strictEqual(rows.length, found.length, path)
        found.forEach((expected, i) => {
          const wanted =
            list === "all" || list === "wallet"
              ? { ...pageRow(simulation, expected), ...(list === "all" && { wallet: expected.wallet }) }
              : holderRow(expected)
          assertIncludes(rows[i], wanted, `${path} at ${i}`)
        })
        compared += rows.length
        if (rows.length > 0) seen.add(list)
      }
      assert.isAbove(compared, 1_000)
      assert.deepStrictEqual([...seen].toSorted(), [...lists].toSorted())

      const { json, headers } = yield* askWith(key, "/v3/positions/?limit=5&offset=5")
      const recent = inOrder(
        all.filter((each) => !isCombo(each)),
        "recent",
        "desc",
      )
      assert.deepStrictEqual(
        json.positions.map((row: Row) => `${row.wallet} ${row.token_id}`),
        recent.slice(5, 10).map(({ wallet, token }) => `${wallet} ${token.id}`),
      )
      assert.strictEqual(json.as_of.block_number, simulation.head)
      assert.isAbove(json.as_of.seq, 0)
      assert.isTrue(json.coverage.complete)
      assert.match(String(headers["x-data-age-ms"]), /^\d+$/)
    }),
  )

  it.effect("of a wallet add up to the totals of its on-chain positions, combos included", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { key } = yield* keyOf("enterprise")
      const holders = yield* sql<{ wallet: string }>`
        select '0x' || encode(w.address, 'hex') as wallet from position p join wallet w on w.id = p.wallet
        group by w.address order by count(*) desc limit ${isSoak ? 4 : 2}`
      const pageSize = isSoak ? 37 : 120
      let combos = 0
      for (const { wallet } of holders) {
        const { json: v2 } = yield* askWith(key, `/v2/wallets/${wallet}/positions/onchain`)
        const rows = yield* everyPage(
          key,
          `/v3/wallets/${wallet}/positions?include_combos=true&sort=total_pnl`,
          pageSize,
        )
        const plain = yield* everyPage(key, `/v3/wallets/${wallet}/positions`, pageSize)
        const sum = (of: (row: Row) => number | null) =>
          rows.reduce((total, row) => total + Math.round((of(row) ?? 0) * 1e6), 0) / 1e6
        assert.deepStrictEqual(
          [rows.length, sum((row) => row.realized_pnl), sum((row) => row.unrealized_pnl), sum((row) => row.total_pnl)],
          [v2.count, v2.total_realized_pnl, v2.total_unrealized_pnl, v2.total_pnl],
        )
        assert.strictEqual(rows.filter(({ status }) => status === "open").length, v2.open_count)
        const ofV2 = new Map<string, Row>(v2.positions.map((row: Row) => [row.token_id, row]))
        for (const row of rows) {
          assert.strictEqual(row.market_status, ofV2.get(row.token_id)?.market_status)
          assert.strictEqual(row.market, ofV2.get(row.token_id)?.market)
        }
        const markets = rows.filter(({ position_type }) => position_type === "market")
        combos += rows.length - markets.length
        assert.sameDeepMembers(
          plain,
          markets.map(({ position_type: _, ...row }) => row),
        )
      }
      assert.isAbove(combos, 0)
    }),
  )

  it.effect("have combos with their legs if asked for", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const rows = yield* everyPage(key, "/v3/positions?include_combos=true", 300)
      const combos = rows.filter(({ position_type }) => position_type === "combo")
      assert.isNotEmpty(combos)
      for (const row of combos) {
        assert.deepInclude(row, {
          combo_condition_id: row.condition_id,
          combo_position_id: row.token_id,
          shares_balance: String(row.size),
          entry_avg_price_usdc: String(row.avg_price),
          realized_pnl_usdc: String(row.realized_pnl),
          total_pnl_usdc: String(row.total_pnl),
          entry_cost_usdc: row.initial_value === null ? null : String(row.initial_value),
          legs_total: row.legs?.length ?? 0,
        })
        // A combo from which lost or won legs were removed may have one left.
        assert.isAbove(row.legs?.length ?? 0, 0)
        assert.deepStrictEqual(
          row.legs?.map(({ leg_index }) => leg_index),
          row.legs?.map((_, i) => i),
        )
        const results = row.legs?.map(({ leg_status }) => leg_status) ?? []
        // YES pays if all legs win, and is lost with the first that does not.
        const isDecided = results.includes("lost") || !results.includes("open")
        assert.strictEqual(row.resolved, isDecided, row.combo_condition_id ?? "")
        if (results.includes("lost")) assert.strictEqual(row.won, row.outcome === "No")
        const named = row.legs?.filter(({ market }) => market !== null) ?? []
        for (const { leg_outcome_label } of named) assert.include(row.market, `(${leg_outcome_label})`)
      }
      const holder = combos[0]?.wallet ?? ""
      const path = `/v3/wallets/${holder}/positions`
      const { json: plain } = yield* askWith(key, path)
      assert.notProperty(plain, "include_combos")
      const { json } = yield* askWith(key, `${path}?include_combos=true&limit=300`)
      const own = json.positions.filter(({ position_type }: Row) => position_type === "combo")
      assert.deepInclude(json, {
        include_combos: true,
        included_position_types: ["market", "combo"],
        combo_position_count: own.length,
      })
      assert.isAbove(own.length, 0)
      const ofToken = yield* everyPage(key, `/v3/markets/${combos[0]?.token_id}/positions`, 10)
      assert.include(
        ofToken.map(({ user }) => user),
        holder,
      )
    }),
  )

  it.effect("of everybody examine a limited number of positions per page, and continue where they stopped", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const walk = Effect.fnUntraced(function* (order: "asc" | "desc", most: number) {
        const filter = { status: "open", minSize: 100_000_000n } as const
        const ids = yield* findIds(sql, { filter })
        const found: Array<string> = []
        let [behind, shortPages]: [PositionPlace | undefined, number] = [undefined, 0]
        for (;;) {
          const query: PositionQuery = {
            filter,
            withCombos: false,
            sort: "recent",
            order,
            limit: 20,
            offset: 0,
            behind,
          }
          const { shown, next }: ReadPositions = yield* readPage(sql, query, ids, most)
          found.push(...shown.map(({ wallet, token }) => `${wallet} ${token}`))
          if (next === undefined) return { found, shortPages }
          if (shown.length < 20) shortPages += 1
          behind = next
        }
      })
      for (const order of ["asc", "desc"] as const) {
        const whole = yield* walk(order, 1_000_000)
        const limited = yield* walk(order, 25)
        assert.isAbove(whole.found.length, 0)
        assert.strictEqual(whole.shortPages, 0)
        assert.isAbove(limited.shortPages, 0)
        assert.deepStrictEqual(limited.found, whole.found)
      }
      const [filter, offset] = [{}, 300]
      const query: PositionQuery = {
        filter,
        withCombos: true,
        sort: "recent",
        order: "desc",
        limit: 400,
        offset,
        behind: undefined,
      }
      const ids = yield* findIds(sql, { filter })
      const first = yield* readPage(sql, { ...query, offset: 0 }, ids, 1_000)
      const skipped = yield* readPage(sql, { ...query, limit: 20 }, ids, 25)
      assert.deepStrictEqual(skipped.shown, first.shown.slice(offset, offset + 20))
    }),
  )

  it.effect("come as CSV and NDJSON, with the cursor in a header", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const path = "/v3/positions?include_combos=true"
      const { json } = yield* askWith(key, `${path}&limit=40`)
      const ndjson = yield* askWith(key, `${path}&limit=40`, { headers: { accept: "application/x-ndjson" } })
      assert.deepStrictEqual(
        ndjson.text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
        json.positions,
      )
      const csv = yield* askWith(key, `${path}&limit=40`, { headers: { accept: "text/csv" } })
      const [header = "", ...lines] = csv.text.trim().split("\r\n")
      assert.match(header, /^wallet,token_id,size,avg_price,.*,legs$/)
      assert.deepStrictEqual(
        lines.map((line) => line.split(",").slice(0, 2)),
        json.positions.map(({ wallet, token_id }: Row) => [wallet, token_id]),
      )
      const next = yield* askWith(key, `${path}&limit=40&cursor=${csv.headers["x-next-cursor"]}`)
      const whole = yield* askWith(key, `${path}&limit=80`)
      assert.deepStrictEqual([...json.positions, ...next.json.positions], whole.json.positions)
      const { token_id } = json.positions[0]
      const holders = yield* askWith(key, `/v3/markets/${token_id}/positions`, { headers: { accept: "text/csv" } })
      assert.match(holders.text, /^user,token_id,outcome_index,amount,avg_price,/)
    }),
  )

  it.effect("refuse what they cannot answer, and say what to do", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const { json: page } = yield* askWith(key, "/v3/positions?limit=2&status=closed")
      const { next_cursor: cursor } = page
      const { json: some } = yield* askWith(key, "/v3/positions?limit=100")
      const [one, other] = (some.positions as ReadonlyArray<Row>).filter(
        ({ condition_id }, i, all) => all.findIndex((each) => each.condition_id === condition_id) === i,
      )
      const sorts = new RegExp(positionSorts.map((sort) => `"${sort}"`).join(".*"))
      const wallet = `/v3/wallets/${page.positions[0].wallet}/positions`
      const condition = `/v3/markets/condition/${one?.condition_id}/positions`
      const refused = [
        ["/v3/positions?status=lost", 400, /"all".*"open".*"closed".*"redeemable".*"redeemed"/],
        ["/v3/positions?sort=title", 400, sorts],
        [`${wallet}?sort=title`, 400, sorts],
        [`${condition}?sort=title`, 400, sorts],
        [`${condition}?status=lost`, 400, /"redeemable"/],
        ["/v3/positions?order=up", 400, /"desc".*"asc"/],
        ["/v3/positions?sort=realized_pnl", 400, /token_id, condition_id or market_slug/],
        ["/v3/positions?sort=size&status=open&min_size=5", 400, /sorted by recent only/],
        ["/v3/positions?offset=10001", 400, /use `cursor`/],
        ["/v3/positions?min_size=-1", 400, /from 0 to/],
        ["/v3/positions?min_size=many", 400, /min_size/],
        ["/v3/positions?include_combos=maybe", 400, /"true".*"false"/],
        ["/v3/positions?event_slug=some-event", 400, /event_slug/],
        [`/v3/positions?limit=2&status=open&cursor=${cursor}`, 400, /belongs to another query/],
        [`/v3/positions?limit=2&status=closed&cursor=${cursor.slice(0, -2)}AA`, 400, /unchanged `next_cursor`/],
        [`/v3/positions?token_id=${one?.token_id}&condition_id=${other?.condition_id}`, 400, /condition_id, token_id/],
        ["/v3/positions?market_slug=no-such-market", 404, /market/],
        [`${wallet}?tag_slug=no-such-tag`, 404, /tag/],
        [`${wallet}?event_slug=no-such-event`, 404, /event/],
        [`${wallet}?condition_id=0x${"1".repeat(64)}`, 404, /condition/],
        ["/v3/markets/1/positions", 404, /token/],
        ["/v3/markets/slug/no-such-market/positions", 404, /market/],
        [`/v3/markets/condition/0x${"1".repeat(64)}/positions`, 404, /condition/],
        ["/v3/markets/condition/0x12/positions", 400, /62 or 64 hexadecimal digits/],
        ["/v3/wallets/0x12/positions", 400, /address/],
      ] as const
      for (const [path, status, message] of refused) {
        const answer = yield* askWith(key, path)
        assert.strictEqual(answer.status, status, `${path}: ${answer.text}`)
        assert.match(answer.text.replaceAll("\\", ""), message, path)
      }
      const empty = yield* askWith(key, `/v3/wallets/0x${"e".repeat(40)}/positions`)
      assert.deepInclude(empty.json, { positions: [], has_more: false, next_cursor: null })

      const limits = [
        ["/v3/positions", "enterprise", 300],
        [condition, "starter", 300],
        [condition, "growth", 1_000],
        [condition, "enterprise", 1_000],
      ] as const
      for (const [path, plan, limit] of limits) {
        const { key: own } = yield* keyOf(plan)
        const { json } = yield* askWith(own, `${path}?limit=99999`)
        assert.strictEqual(json.limit, limit, `${path} ${plan}`)
        assert.strictEqual((yield* askWith(own, path)).json.limit, 100)
      }
      const { key: free } = yield* keyOf("free")
      assert.strictEqual((yield* askWith(free, "/v3/positions")).status, 402)
    }),
  )
})
